"""The bot's own sentences by language, one file per topic. Not the words of rules."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

#: languages with a folder of sentences; the first is the fallback
LANGUAGES = ("en", "zh")

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


class UnknownSentenceError(KeyError):
    """Code asks for a sentence that no file holds."""

    def __init__(self, key: str) -> None:
        super().__init__(f"no sentence has the id {key}: add it to bot/locale/{LANGUAGES[0]}/")
        self.key = key


def supported(language: str | None) -> str:
    """Return the language whose sentences serve for a tag such as `zh-CN`; English when there is none."""
    primary = (language or "").replace("_", "-").partition("-")[0].lower()
    return primary if primary in LANGUAGES else LANGUAGES[0]


@cache
def sentences(language: str) -> dict[str, str]:
    """Return all sentences of a language by id; what it lacks is English."""
    folder = Path(__file__).parent
    found: dict[str, str] = {}
    for name in (LANGUAGES[0], supported(language)):
        for path in sorted((folder / name).glob("*.json")):
            found.update(json.loads(path.read_text(encoding="utf-8")))
    return found


def say(key: str, language: str, **values: object) -> str:
    """Return one sentence with its `{placeholders}` filled.

    Values are put in as they are and never read as templates. Raises `UnknownSentenceError` for an id that no
    file holds.
    """
    try:
        text = sentences(language)[key]
    except KeyError as error:
        raise UnknownSentenceError(key) from error
    return _PLACEHOLDER.sub(lambda match: str(values[match[1]]), text)
