"""Values of a launch as they may be shown: masked, on one line, not endless. Not for what is compared."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rules.engine.paste.masking import mask

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: more of a value tells a reader nothing
_LONGEST = 120
_FLAG = re.compile(r"--?[A-Za-z][A-Za-z0-9_.+-]*\Z")
#: flags whose value is a secret whatever it looks like, beside those that masking knows by itself
_SECRET_FLAGS = frozenset({"--api-key", "--hf-token"})
_SECRET_NAMES = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)\Z")
_MASK = "<secret>"


def shown(name: str, value: str) -> str:
    """Return the value of a flag or variable for a sentence."""
    masked = masked_value(name, value)
    line = " ".join(masked.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def masked_value(name: str, value: str) -> str:
    """Return the value of a flag or variable with what is secret in it replaced."""
    if not value:
        return value
    if name.replace("_", "-") in _SECRET_FLAGS or _SECRET_NAMES.search(name.upper().replace("-", "_")):
        return _MASK
    lead = f"{name} " if name.startswith("-") else f"{name}="
    found, count = mask(lead + value)
    if not count:
        return value
    return found[len(lead) :] if found.startswith(lead) else _MASK


def masked_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a command with secrets replaced, as many as there were."""
    found: list[str] = []
    name = ""
    for word in words:
        key, mark, value = word.partition("=")
        if _FLAG.match(word):
            name = word
            found.append(word)
        elif mark and (_FLAG.match(key) or key.isidentifier()):
            found.append(f"{key}={masked_value(key, value)}")
            name = ""
        else:
            found.append(masked_value(name, word) if name else mask(word)[0])
    return tuple(found)


def masked_env(env: Mapping[str, str]) -> dict[str, str]:
    """Return variables with secrets replaced."""
    return {name: masked_value(name, value) for name, value in env.items()}
