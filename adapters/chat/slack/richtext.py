"""The parts of a card as rich text. Pure. Not for headers, buttons and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slack_sdk.models.blocks import (
    RichTextElement,
    RichTextElementParts,
    RichTextListElement,
    RichTextPreformattedElement,
    RichTextSectionElement,
)

from adapters.chat.card import (
    Bullets,
    Code,
    CodeKind,
    Fields,
    Link,
    Links,
    Paragraph,
    Part,
    Section,
    Subheading,
)
from adapters.chat.slack.texts import harmless, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_Text = RichTextElementParts.Text
_Style = RichTextElementParts.TextStyle
_URL_LIMIT = 3_000


def elements_of(section: Section, pages_url: str | None) -> list[RichTextElement]:
    """Return a section: its heading, then its parts."""
    elements: list[RichTextElement] = []
    heading = _heading(section)
    if heading:
        elements.append(RichTextSectionElement(elements=heading))
    for part in section.parts:
        elements.extend(_part(part, pages_url))
    return elements


def _heading(section: Section) -> list[RichTextElement]:
    heading = _shown(section.heading, _Style(bold=True))
    aside = _shown(section.aside, _Style(italic=True))
    gap = [_Text(text="  ")] if heading and aside else []
    return [*heading, *gap, *aside]


def _part(part: Part, pages_url: str | None) -> Iterator[RichTextElement]:
    match part:
        case Paragraph(text):
            yield from _sections([_sentence(text)])
        case Subheading(text):
            yield from _sections([_shown(text, _Style(bold=True))])
        case Code():
            yield from _code(part)
        case Fields(fields):
            yield from _sections([_named(field.name, field.value) for field in fields])
        case Bullets(items):
            yield from _list([_sentence(item) for item in items])
        case Links(links):
            yield from _list([_link(link, pages_url) for link in links])


def _sections(lines: Sequence[Sequence[RichTextElement]]) -> Iterator[RichTextElement]:
    for line in lines:
        if line:
            yield RichTextSectionElement(elements=line)


def _list(items: Sequence[Sequence[RichTextElement]]) -> Iterator[RichTextElement]:
    sections = list(_sections(items))
    if sections:
        yield RichTextListElement(elements=sections, style="bullet")


def _named(name: str, value: str) -> list[RichTextElement]:
    return [*_shown(f"{name}: ", _Style(bold=True)), *_shown(value)]


def _shown(text: str, style: RichTextElementParts.TextStyle | None = None) -> list[RichTextElement]:
    shown = harmless(text)
    return [_Text(text=shown, style=style)] if shown else []


def _code(code: Code) -> Iterator[RichTextElement]:
    # A command is copied byte by byte, so nothing is put into it; rich text calls nobody anyway.
    text = printable(code.text) if code.kind is CodeKind.COMMAND else harmless(code.text)
    text = text.rstrip("\n")
    if text:
        yield RichTextPreformattedElement(elements=[_Text(text=text)])
    yield from _sections([_sentence(code.note)])


def _sentence(text: str) -> list[RichTextElement]:
    """Return a sentence; what stands between two single backticks is code."""
    pieces = harmless(text).split("`")
    if len(pieces) % 2 == 0:
        # the last backtick has no partner and stays as it is
        pieces[-2:] = [f"{pieces[-2]}`{pieces[-1]}"]
    found: list[RichTextElement] = []
    for place, piece in enumerate(pieces):
        if piece:
            found.append(_Text(text=piece, style=_Style(code=True) if place % 2 else None))
    return found


def _link(link: Link, pages_url: str | None) -> list[RichTextElement]:
    """Return a link; one to our own pages only where their address is known."""
    is_own = link.url.startswith("/") and not link.url.startswith("//")
    text = harmless(link.text)
    url = f"{pages_url.rstrip('/')}{link.url}" if is_own and pages_url else link.url
    if url.startswith(("https://", "http://")) and len(url) <= _URL_LIMIT:
        return [RichTextElementParts.Link(url=printable(url), text=text or None)]
    return [] if is_own else _shown(link.text)
