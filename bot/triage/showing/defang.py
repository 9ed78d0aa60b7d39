"""Takes from quoted text what a chat client would act on: pings, fences, hidden signs. Not for secrets."""

from __future__ import annotations

import re

#: breaks a word for a client without showing to a reader
_GAP = "\u200b"
#: what a client acts on, up to the sign after which a gap breaks it; no branch looks far ahead
_ACTIVE = re.compile(r"`(?=`)|~(?=~)|<(?=[@#!])|@(?=everyone|here|channel)", re.IGNORECASE)
#: characters that turn the direction of text round, so that what is read differs from what is there
_DIRECTION = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
_CONTROL = {*range(0x20), *range(0x7F, 0xA0)} - {ord("\n"), ord("\t")}
_SURROGATES = range(0xD800, 0xE000)
_HIDDEN = dict.fromkeys((*_CONTROL, *_SURROGATES, *map(ord, _DIRECTION)))


def defang(text: str) -> str:
    """Return the text so that it pings nobody, ends no fence and hides nothing; line breaks and tabs stay."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").translate(_HIDDEN)
    return _ACTIVE.sub(lambda found: found[0] + _GAP, plain)


def is_safe_to_copy(command: str) -> bool:
    """Tell whether a command can stand in a code block as it is, without a single change."""
    return defang(command) == command and _GAP not in command
