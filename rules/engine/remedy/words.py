"""Shared phrases of the engine in the language of the answer, and the filling of placeholders.

Not for rules' own texts.
"""

import re
from collections.abc import Mapping

from rules.engine.remedy.arithmetic import OPERATIONS

#: what stands for a value that is not known
UNKNOWN = "?"
#: `{name}`, or `{name:upper}` for a value in upper case, `{name:bare}` for it without the `_VLLM_V1`
#: suffix too; `{first:operation:second}` for what is worked out of two
_PLACEHOLDER = re.compile(r"\{([a-z_]+)(?::(upper|bare)|:([a-z]+):([a-z_]+))?\}")


def fill(template: str, values: Mapping[str, str]) -> str:
    """Return the template with its placeholders filled; what is not known becomes `?`. Other braces stay."""

    def one(found: re.Match[str]) -> str:
        value = values.get(found[1], UNKNOWN)
        if found[3]:
            operation = OPERATIONS.get(found[3])
            worked = operation(value, values.get(found[4], UNKNOWN)) if operation else None
            return worked or UNKNOWN
        if found[2]:
            value = value.upper()
        return value.removesuffix("_VLLM_V1") if found[2] == "bare" else value

    return _PLACEHOLDER.sub(one, template)


def placeholders(template: str) -> set[str]:
    """Return the names that a template asks for."""
    return {name for found in _PLACEHOLDER.finditer(template) for name in (found[1], found[4]) if name}


class Words:
    """The shared phrases in one language."""

    def __init__(self, phrases: Mapping[str, Mapping[str, str]], language: str) -> None:
        self.language = language
        self._own = phrases.get(language, {})
        self._english = phrases.get("en", {})
        self._commands = phrases.get("commands", {})

    def has(self, key: str) -> bool:
        """Tell whether a phrase exists."""
        return key in self._own or key in self._english

    def say(self, key: str, values: Mapping[str, str] | None = None) -> str:
        """Return a phrase, filled.

        English where the language lacks it. Raises `KeyError` when no language has it.
        """
        template = self._own.get(key) or self._english[key]
        return fill(template, values or {})

    def command(self, key: str, values: Mapping[str, str] | None = None) -> str:
        """Return a command that is the same in every language. Raises `KeyError` when there is none."""
        return fill(self._commands[key], values or {})

    def join(self, sentences: list[str]) -> str:
        """Return sentences as one text: Chinese ones stand without blanks between them."""
        return ("" if self.language == "zh" else " ").join(sentence for sentence in sentences if sentence)
