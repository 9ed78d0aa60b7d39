"""Slack's way of writing text, taken off and put on. Pure. Not for blocks."""

from __future__ import annotations

import re

#: what stands between angle brackets; it ends at the next one, so the search costs no more than its length
_CONTROL = re.compile(r"<([^<>]*)>")
_LINK = re.compile(r"(?:https?|mailto|tel|ftp|slack):", re.IGNORECASE)
_PERSON = re.compile(r"@([UWB][A-Z0-9]+)\Z")
_CHANNEL = re.compile(r"#([CDG][A-Z0-9]+)\Z")
_GROUP_NOTICE = re.compile(r"@(?=everyone|here|channel)", re.IGNORECASE)
#: breaks a word for a client without showing to a reader
_GAP = "\u200b"
_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
_UNPRINTABLE = {**_SURROGATES, 0: None}
_BROADCASTS = {"!here", "!channel", "!everyone"}
_ELLIPSIS = "…"


def plain(text: str, bot_user: str) -> str:
    """Return what somebody typed: links, mentions and entities as they looked, our own name left out."""
    shown = _CONTROL.sub(lambda found: _shown(found, bot_user), text)
    return shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def names(text: str, user: str) -> bool:
    """Tell whether a text that is still escaped mentions a user."""
    return f"<@{user}>" in text or f"<@{user}|" in text


def _shown(found: re.Match[str], bot_user: str) -> str:
    target, _, label = found[1].partition("|")
    if _LINK.match(target):
        return label or target.removeprefix("mailto:")
    if person := _PERSON.match(target):
        return "" if person[1] == bot_user else f"@{label or person[1]}"
    if channel := _CHANNEL.match(target):
        return f"#{label or channel[1]}"
    return _call_or_date(target, label) or found[0]


def _call_or_date(target: str, label: str) -> str:
    """Return what a call to a group or a date looks like; empty for brackets that are not Slack's."""
    if target in _BROADCASTS:
        return f"@{target[1:]}"
    if target.startswith("!subteam^"):
        return f"@{(label or target.removeprefix('!subteam^')).removeprefix('@')}"
    return label if target.startswith("!date^") else ""


def printable(text: str) -> str:
    """Return the text without what Slack cannot store: NUL, and halves of characters."""
    return text.translate(_UNPRINTABLE)


def harmless(text: str) -> str:
    """Return the text so that no client takes a word in it for a call to everybody."""
    return _GROUP_NOTICE.sub(lambda found: found[0] + _GAP, printable(text))


def escaped(text: str) -> str:
    """Return the text as a message's `text` must hold it: as it stands, pinging nobody."""
    return harmless(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def cut(text: str, limit: int) -> str:
    """Return the text, or its beginning with an ellipsis, in at most `limit` characters."""
    return text if len(text) <= limit else text[: limit - 1] + _ELLIPSIS


def escaped_within(text: str, limit_bytes: int) -> str:
    """Return the escaped text, cut so that it has at most so many bytes and ends in no half entity."""
    whole = escaped(text)
    if len(whole.encode()) <= limit_bytes:
        return whole
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if len((escaped(text[:middle]) + _ELLIPSIS).encode()) <= limit_bytes:
            low = middle
        else:
            high = middle - 1
    return escaped(text[:low]) + _ELLIPSIS
