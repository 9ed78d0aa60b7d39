"""Takes from quoted text what a chat client would act on: pings, fences, hidden signs. Not for secrets."""

from __future__ import annotations

import unicodedata

#: breaks a word for a client without showing to a reader
_GAP = "\u200b"
_PINGS = ("everyone", "here", "channel")
#: what opens a mention on Slack or Discord when it follows `<`
_MENTION_SIGNS = frozenset("@#!")
#: characters that turn the direction of text round, so that what is read differs from what is there
_DIRECTION = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")


def defang(text: str) -> str:
    """Return the text so that it pings nobody, ends no fence and hides nothing; line breaks and tabs stay."""
    kept: list[str] = []
    clean = _without_hidden(text)
    for index, character in enumerate(clean):
        kept.append(character)
        following = clean[index + 1 : index + 2]
        if (
            (character == "`" and following == "`")
            or (character == "<" and following in _MENTION_SIGNS and following)
            or (character == "@" and clean[index + 1 : index + 8].lower().startswith(_PINGS))
            or (character == "~" and following == "~")
        ):
            kept.append(_GAP)
    return "".join(kept)


def is_safe_to_copy(command: str) -> bool:
    """Tell whether a command can stand in a code block as it is, without a single change."""
    return defang(command) == command and _GAP not in command


def _without_hidden(text: str) -> str:
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(character for character in plain if not _is_hidden(character))


def _is_hidden(character: str) -> bool:
    if character in "\n\t":
        return False
    return character in _DIRECTION or unicodedata.category(character) in {"Cc", "Cs"}
