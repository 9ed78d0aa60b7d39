"""Parts of a card → blocks of Discord's Markdown, none of which is ever split. Pure. Not for packing them.

A block says the same twice: as Discord shows it, and plain, for the file that takes what does not fit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from adapters.chat.card import Bullets, Code, CodeKind, Fields, Links, Paragraph, Subheading
from adapters.chat.discord.drawing.escaping import cut, escaped, fenced, is_exact, printable, sentence, weight

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from adapters.chat.card import Card, Link, Part

#: of one embed's text
BLOCK_LIMIT = 4_096
#: the file that takes what does not fit
MORE = "more.md"
_FORWARD = f"… `{MORE}`"
_ADDRESS = re.compile(r"https?://[!-~]+\Z", re.ASCII)
_URL_SAFE = "/:?=&%#+,;!$~.-_"


@dataclass(frozen=True, slots=True)
class Block:
    """Something that stands together."""

    shown: str
    plain: str
    #: what is shown says less than what is plain
    is_short: bool = False
    #: what separates it from the block before
    gap: str = "\n\n"


def blocks_of(card: Card, pages_url: str | None) -> Iterator[Block]:
    """Return the sections of a card in their order."""
    for section in card.sections:
        if section.heading.strip():
            heading = _line(section.heading)
            yield _block(heading, f"### {sentence(heading)}", f"## {heading}")
        if section.aside.strip():
            aside = _line(section.aside)
            yield _block(aside, f"-# {sentence(aside)}", f"*{aside}*", gap="\n")
        for part in section.parts:
            yield from _part(part, pages_url)


def _part(part: Part, pages_url: str | None) -> Iterator[Block]:
    match part:
        case Paragraph(text):
            yield _text(text, sentence)
        case Subheading(text):
            yield _text(_line(text), lambda plain: f"**{sentence(plain)}**")
        case Code():
            yield from _code(part)
        case Fields(fields):
            for number, one in enumerate(fields):
                name, value = _line(one.name), _line(one.value)
                shown = f"**{escaped(name)}:** {sentence(value)}"
                yield _block(f"{name}: {value}", shown, f"- {name}: {value}", gap=_gap(number))
        case Bullets(items):
            for number, item in enumerate(items):
                yield _text(_line(item), lambda plain: f"- {sentence(plain)}", gap=_gap(number))
        case Links(links):
            pairs = [pair for link in links if (pair := _link(link, pages_url))]
            for number, (drawn, plain) in enumerate(pairs):
                yield _block(plain, drawn, plain, gap=_gap(number))


def _gap(number: int) -> str:
    return "\n" if number else "\n\n"


def _line(text: str) -> str:
    """Return the text on one line."""
    return " ".join(printable(text).split())


def _text(text: str, draw: Callable[[str], str], gap: str = "\n\n") -> Block:
    """Return a text as a block, its beginning if it is too long."""
    clean = printable(text)
    shown = within(clean, BLOCK_LIMIT, draw)
    return Block(shown, clean, is_short=shown.endswith("…") and shown != draw(clean), gap=gap)


def within(text: str, limit: int, draw: Callable[[str], str]) -> str:
    """Return the text as it is drawn, cut so far that it fits."""
    if weight(text) <= limit and weight(whole := draw(text)) <= limit:
        return whole
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if weight(draw(cut(text, middle))) <= limit:
            low = middle
        else:
            high = middle - 1
    return draw(cut(text, low))


def _block(text: str, shown: str, plain: str, gap: str = "\n\n") -> Block:
    if weight(shown) <= BLOCK_LIMIT:
        return Block(shown, plain, gap=gap)
    return Block(within(text, BLOCK_LIMIT, escaped), plain, is_short=True, gap=gap)


def _code(code: Code) -> Iterator[Block]:
    language = "sh" if code.kind is CodeKind.COMMAND else ""
    text = printable(code.text)
    plain = _plain_code(text, language)
    shown = fenced(text, language)
    if weight(shown) <= BLOCK_LIMIT and (code.kind is CodeKind.QUOTE or is_exact(code.text)):
        yield Block(shown, plain)
    elif code.kind is CodeKind.COMMAND:
        # A command is never shown changed or cut: somebody would run it.
        yield Block(_FORWARD, plain, is_short=True)
    else:
        cut_quote = within(text, BLOCK_LIMIT, lambda part: fenced(part, language))
        yield Block(cut_quote, plain, is_short=True)
    if code.note.strip():
        yield _text(_line(code.note), sentence, gap="\n")


def _plain_code(text: str, language: str) -> str:
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _link(link: Link, pages_url: str | None) -> tuple[str, str] | None:
    """Return a reference as it is shown and plain; None for one that leads nowhere from here."""
    url = link.url
    if url.startswith("/"):
        if pages_url is None:
            return None
        url = pages_url.rstrip("/") + url
    text = _line(link.text) or url
    if not _ADDRESS.match(url):
        return f"- {escaped(text)}", f"- {text}"
    safe = quote(url, safe=_URL_SAFE)
    if text in url:
        # Discord draws no link whose words are another address.
        return f"- <{safe}>", f"- {url}"
    return f"- [{escaped(text)}](<{safe}>)", f"- {text}: {url}"
