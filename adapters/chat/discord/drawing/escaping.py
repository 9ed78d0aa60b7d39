"""Text as Discord must be given it to show it as it stands: no mark-up, no fence, no ping. Pure."""

from __future__ import annotations

import re

#: breaks a word for a client without showing to a reader
GAP = "\u200b"
#: what a client takes for a call or a reference, up to the sign after which a gap breaks it
_CALL = re.compile(r"@(?=everyone|here)|<(?=[@#:/!]|a:|id:|t:|sound:)", re.IGNORECASE)
#: an address stands as it is, for a backslash would break it; it may hold no sign that opens mark-up
_PLAIN_URL = re.compile(r"https?://[\w.\-/:?=&%#+,;!$]+", re.ASCII)
_MARKUP = re.compile(r"([\\*_~|`\[\]])")
#: signs that mean something at the start of a line
_LINE_START = re.compile(r"^([ \t]*)([#>+-]|[0-9]{1,9}[.)])", re.MULTILINE)
_CODE = re.compile(r"`([^`\n]+)`")
_CONTROL = {*range(0x20), *range(0x7F, 0xA0)} - {ord("\n"), ord("\t")}
_SURROGATES = range(0xD800, 0xE000)
_UNPRINTABLE = dict.fromkeys((*_CONTROL, *_SURROGATES))
_ELLIPSIS = "…"


def weight(text: str) -> int:
    """Return the length as the stricter of Discord's ways to count it: in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def printable(text: str) -> str:
    """Return the text without what Discord refuses or hides; line breaks and tabs stay."""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_UNPRINTABLE)


def harmless(text: str) -> str:
    """Return the text so that no client takes a word in it for a call or a reference."""
    return _CALL.sub(lambda found: found[0] + GAP, printable(text))


def escaped(text: str) -> str:
    """Return plain text so that Discord shows it as it stands."""
    clean = harmless(text)
    pieces: list[str] = []
    at = 0
    for url in _PLAIN_URL.finditer(clean):
        pieces += [_backslashed(clean[at : url.start()]), url[0]]
        at = url.end()
    whole = "".join((*pieces, _backslashed(clean[at:])))
    return _LINE_START.sub(lambda found: f"{found[1]}{_broken(found[2])}", whole)


def sentence(text: str) -> str:
    """Return a sentence of a card: code between single backticks stays code, all else is plain."""
    pieces: list[str] = []
    at = 0
    clean = printable(text)
    for code in _CODE.finditer(clean):
        pieces += [escaped(clean[at : code.start()]), f"`{harmless(code[1])}`"]
        at = code.end()
    return "".join((*pieces, escaped(clean[at:])))


def fenced(text: str, language: str = "") -> str:
    """Return a block of code that nothing in the text can end."""
    inner = harmless(text)
    while "```" in inner:
        inner = inner.replace("```", f"``{GAP}`")
    if inner.endswith("`"):
        inner += GAP
    return f"```{language}\n{inner or ' '}\n```"


def is_exact(command: str) -> bool:
    """Tell whether a command can stand in a block of code without a single change."""
    return fenced(command) == f"```\n{command}\n```"


def cut(text: str, limit: int) -> str:
    """Return plain text, or its beginning with an ellipsis, within a limit; cut before it is escaped."""
    if weight(text) <= limit:
        return text
    kept = text[: max(0, limit - 1)]
    while kept and weight(kept) > limit - 1:
        kept = kept[: -max(1, (weight(kept) - limit + 1) // 2)]
    return kept + _ELLIPSIS


def _backslashed(text: str) -> str:
    return _MARKUP.sub(r"\\\1", text)


def _broken(start: str) -> str:
    """Return the sign at the start of a line so that it starts nothing."""
    return f"\\{start}" if len(start) == 1 else f"{start[:-1]}\\{start[-1]}"
