"""Whether an answer of a model is one: a name in a list, a text that is no noise. Pure; reads hostile bodies."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

#: fewer words than this may all be the same: `Paris Paris` is odd, not broken
_FEW: Final = 3
#: a text of one character again and again is broken from this length on
_SHORT: Final = 4
#: so many characters or words at the end that are all the same are broken, where they are most of the text
_LONG_RUN: Final = 8
_MANY_WORDS: Final = 5
#: share of characters that are letters, digits, marks of writing or spaces in any text that means something
_READABLE: Final = 0.5
_QUOTED: Final = 200


#: why a model may stop; anything else cut it short
_ENDS: Final = ("stop", "length")


@dataclass(frozen=True, slots=True)
class Completion:
    """What a completion says."""

    #: its reasoning included
    text: str
    #: the model that it is of; None: it does not say
    model: str | None
    #: why it stopped; None: it does not say
    end: object


def served_names(body: str) -> tuple[str, ...]:
    """Return the ids that `/v1/models` lists; none for a body that is something else."""
    return tuple(name for name, _ in _cards(body))


def names_of(model: str, body: str) -> frozenset[str]:
    """Return all names that `/v1/models` lists for the model of a name: those of the same weights, and itself."""
    cards = _cards(body)
    roots = {root for name, root in cards if name == model and root is not None}
    return frozenset({model, *(name for name, root in cards if root in roots)})


def completion_of(body: str) -> Completion | None:
    """Return a completion; None for a body that is none, or holds an error."""
    answer = _object(body)
    choices = answer.get("choices")
    if (
        answer.get("error")
        or not isinstance(choices, list)
        or not choices
        or not isinstance(choices[0], dict)
    ):
        return None
    choice, model = choices[0], answer.get("model")
    message = choice.get("message")
    told = message if isinstance(message, dict) else choice
    # a model that reasons may use up its tokens before it comes to the answer
    parts = [told.get(name) for name in ("reasoning_content", "reasoning", "content", "text")]
    text = "".join(part for part in parts if isinstance(part, str))
    return Completion(text, model if isinstance(model, str) and model else None, choice.get("finish_reason"))


def completion_text(body: str) -> str | None:
    """Return what a completion says, its reasoning included; None for a body that is no completion."""
    found = completion_of(body)
    return None if found is None else found.text


def is_cut_short(completion: Completion) -> bool:
    """Tell whether something else than the model or the limit ended it."""
    return completion.end is not None and completion.end not in _ENDS


def nonsense(text: str, asked: str = "") -> str | None:
    """Return what is wrong with a text as an answer to what was asked; None when it may be one."""
    words = text.split()
    if not words:
        return "the answer is empty"
    fault = _fault(words, asked.split())
    return f"the answer {fault}: {quoted(text)}" if fault is not None else None


def _fault(words: list[str], asked: list[str]) -> str | None:
    solid = "".join(words)
    readable = sum(unicodedata.category(one)[0] in "LNMP" and one != "\ufffd" for one in solid)
    is_text = readable >= _READABLE * len(solid) and any(one.isalnum() for one in solid)
    faults = {
        "is the question once more": _is_echo(words, asked),
        "is one character again and again": len(solid) >= _SHORT and len(set(solid)) == 1,
        "is one word again and again": len(words) > _FEW and len(set(words)) == 1,
        "is one piece again and again": _repeated(solid) is not None,
        "ends in one piece again and again": (
            _ends_in_a_run(solid, _LONG_RUN) or _ends_in_a_run(words, _MANY_WORDS)
        ),
        "is no text": not is_text,
    }
    return next((fault for fault, is_there in faults.items() if is_there), None)


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


def _is_echo(words: list[str], asked: list[str]) -> bool:
    """Tell whether words are those of the question, once or again and again, and nothing else."""
    times = len(words) // len(asked) if asked else 0
    return times > 0 and [word.casefold() for word in words] == [word.casefold() for word in asked] * times


def _ends_in_a_run(pieces: Sequence[str], least: int) -> bool:
    """Tell whether two thirds of the pieces are the last one over and over."""
    run = next((place for place, piece in enumerate(reversed(pieces)) if piece != pieces[-1]), len(pieces))
    return run >= least and 3 * run >= 2 * len(pieces)


def _cards(body: str) -> tuple[tuple[str, str | None], ...]:
    """Return name and weights of each model that a body lists."""
    entries = _object(body).get("data")
    if not isinstance(entries, list):
        return ()
    cards = [(entry.get("id"), entry.get("root")) for entry in entries if isinstance(entry, dict)]
    return tuple(
        (name, root if isinstance(root, str) and root else None)
        for name, root in cards
        if isinstance(name, str) and name
    )


def _object(body: str) -> dict[str, Any]:
    try:
        value = json.loads(body, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _refuse(constant: str) -> NoReturn:
    """Refuse NaN and infinity, which are no JSON and come of numbers that are broken."""
    raise ValueError(constant)
