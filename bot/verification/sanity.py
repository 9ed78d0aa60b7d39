"""Whether an answer of a model is one: a name in a list, a text that is no noise. Pure; reads hostile bodies."""

from __future__ import annotations

import json
import unicodedata
from typing import Any, Final

#: fewer words than this may all be the same: `Paris Paris` is odd, not broken
_FEW: Final = 3
#: a text of one character again and again is broken from this length on
_SHORT: Final = 4
#: share of characters that are letters, digits, marks of writing or spaces in any text that means something
_READABLE: Final = 0.5
_QUOTED: Final = 200


def served_names(body: str) -> tuple[str, ...]:
    """Return the ids that `/v1/models` lists; none for a body that is something else."""
    entries = _object(body).get("data")
    if not isinstance(entries, list):
        return ()
    names = [entry.get("id") for entry in entries if isinstance(entry, dict)]
    return tuple(name for name in names if isinstance(name, str) and name)


def completion_text(body: str) -> str | None:
    """Return what a completion says, its reasoning included; None for a body that is no completion."""
    choices = _object(body).get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return None
    choice = choices[0]
    message = choice.get("message")
    told = message if isinstance(message, dict) else choice
    # a model that reasons may use up its tokens before it comes to the answer
    parts = [told.get(name) for name in ("reasoning_content", "reasoning", "content", "text")]
    return "".join(part for part in parts if isinstance(part, str))


def nonsense(text: str) -> str | None:
    """Return what is wrong with a text as an answer; None when it may be one."""
    words = text.split()
    if not words:
        return "the answer is empty"
    solid = "".join(words)
    if len(solid) >= _SHORT and len(set(solid)) == 1:
        return f"the answer is one character again and again: {quoted(text)}"
    if len(words) > _FEW and len(set(words)) == 1:
        return f"the answer is one word again and again: {quoted(text)}"
    unit = _repeated(solid)
    if unit is not None:
        return f"the answer is one piece again and again: {quoted(text)}"
    readable = sum(
        unicodedata.category(character)[0] in "LNMP" and character != "\ufffd" for character in solid
    )
    if readable < _READABLE * len(solid) or not any(character.isalnum() for character in solid):
        return f"the answer is no text: {quoted(text)}"
    return None


def quoted(text: str) -> str:
    """Return a text as one short line of printable characters."""
    shown = "".join(character if character.isprintable() else " " for character in text[: 2 * _QUOTED])
    line = " ".join(shown.split())
    return line if len(line) <= _QUOTED else f"{line[: _QUOTED - 1]}…"


def _repeated(solid: str) -> str | None:
    """Return a short piece that makes up the whole text, when it does many times."""
    for length in range(2, 33):
        if len(solid) < length * 4:
            return None
        unit = solid[:length]
        if unit * (len(solid) // length) == solid[: len(solid) // length * length]:
            return unit
    return None


def _object(body: str) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
