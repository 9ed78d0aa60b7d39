"""Makes a card fit a platform: what is too long goes into an attached file. Pure. Not for drawing.

A command is never cut: it stands whole in its block, or the card says which file holds it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from adapters.chat.interface import (
    Attachment,
    Bullets,
    Button,
    Capabilities,
    Card,
    Choice,
    Code,
    CodeKind,
    Field,
    Fields,
    Links,
    Paragraph,
    Part,
    Section,
    Subheading,
)
from bot.locale import say
from bot.triage.showing.defang import is_safe_to_copy
from bot.triage.showing.document import document_of

_FILE = "answer.md"
_ELLIPSIS = "…"
#: badges are words; a longer one is a mistake
_BADGE_LIMIT = 40


@dataclass(frozen=True, slots=True)
class Fitted:
    """Something that fits, and whether anything was cut or left out for it."""

    parts: tuple[Part, ...]
    is_whole: bool


def fit(card: Card, limits: Capabilities) -> Card:
    """Return a card within the limits; if anything had to go, the whole answer is attached as `answer.md`."""
    title = _cut(card.title, limits.title_limit, limits)
    summary = _cut(card.summary, limits.text_limit, limits)
    fitted = [(section, _fit_section(section, limits, card.language)) for section in card.sections]
    sections = [
        replace(
            section,
            heading=_cut(section.heading, limits.title_limit, limits),
            aside=_cut(section.aside, limits.title_limit, limits),
            parts=parts.parts,
        )
        for section, parts in fitted
    ]
    slim = replace(
        card,
        title=title,
        summary=summary,
        badges=tuple(_cut(badge, _BADGE_LIMIT, limits) for badge in card.badges),
        choices=tuple(_fit_choice(choice, limits) for choice in card.choices),
        buttons=tuple(_fit_button(button, limits) for button in card.buttons[: limits.buttons_limit]),
    )
    kept = _within_total(slim, sections, limits)
    whole = (
        title == card.title
        and len(kept) == len(card.sections)
        and all(part.is_whole for _, part in fitted)
        and all(new.heading == old.heading for new, old in zip(kept, card.sections, strict=False))
    )
    if whole:
        return replace(slim, sections=tuple(kept))
    more = _more(card.language)
    return replace(
        slim,
        sections=(*kept, more),
        attachments=(*card.attachments, _attachment(card, limits)),
    )


def _fit_section(section: Section, limits: Capabilities, language: str) -> Fitted:
    parts = tuple(_fit_part(part, limits, language) for part in section.parts)
    return Fitted(parts, is_whole=parts == section.parts)


def _fit_part(part: Part, limits: Capabilities, language: str) -> Part:
    match part:
        case Paragraph(text):
            return Paragraph(_cut(text, limits.text_limit, limits))
        case Subheading(text):
            return Subheading(_cut(text, limits.title_limit, limits))
        case Code():
            return _fit_code(part, limits, language)
        case Fields(fields):
            return Fields(tuple(_fit_field(field, limits) for field in fields[: limits.fields_limit]))
        case Bullets(items):
            return Bullets(_first_within(items, limits))
        case Links(links):
            room = limits.text_limit
            kept = []
            for link in links:
                room -= limits.length(link.text) + limits.length(link.url) + 4
                if room < 0:
                    break
                kept.append(link)
            return Links(tuple(kept))


def _fit_code(code: Code, limits: Capabilities, language: str) -> Part:
    if code.kind is CodeKind.QUOTE:
        return replace(code, text=_cut(code.text, limits.text_limit, limits))
    note = _cut(code.note, limits.field_limit, limits)
    if is_safe_to_copy(code.text) and limits.length(code.text) + limits.length(note) <= limits.text_limit:
        return replace(code, note=note)
    return Paragraph(say("card.command-in-file", language, name=_FILE))


def _fit_field(field: Field, limits: Capabilities) -> Field:
    name = _cut(field.name, limits.field_limit, limits)
    return Field(name, _cut(field.value, max(1, limits.field_limit - limits.length(name)), limits))


def _first_within(items: tuple[str, ...], limits: Capabilities) -> tuple[str, ...]:
    room = limits.text_limit
    kept: list[str] = []
    for item in items:
        text = _cut(item, room, limits)
        if not text or (kept and text != item):
            break
        kept.append(text)
        room -= limits.length(text) + 3
    return tuple(kept)


def _fit_button(button: Button, limits: Capabilities) -> Button:
    return replace(
        button,
        label=_cut(button.label, limits.button_label_limit, limits),
        confirm=_cut(button.confirm, limits.text_limit, limits),
    )


def _fit_choice(choice: Choice, limits: Capabilities) -> Choice:
    options = (
        replace(one, label=_cut(one.label, limits.button_label_limit, limits))
        for one in choice.options[: limits.options_limit]
    )
    return replace(
        choice, label=_cut(choice.label, limits.button_label_limit, limits), options=tuple(options)
    )


def _within_total(card: Card, sections: list[Section], limits: Capabilities) -> list[Section]:
    """Return the sections that fit together: details go first, from the end, then the others from the end."""
    more = _more(card.language)
    room = limits.total_limit - size_of(replace(card, sections=(more,)), limits)
    blocks = limits.blocks_limit - _blocks(more)
    kept = list(sections)
    order = [index for index in reversed(range(len(sections))) if sections[index].detail]
    order += [index for index in reversed(range(len(sections))) if not sections[index].detail]
    sizes = {index: _section_size(section, limits) for index, section in enumerate(sections)}
    used = sum(sizes.values())
    used_blocks = sum(_blocks(section) for section in sections)
    dropped: set[int] = set()
    for index in order:
        if used <= room and used_blocks <= blocks:
            break
        used -= sizes[index]
        used_blocks -= _blocks(sections[index])
        dropped.add(index)
    return [section for index, section in enumerate(kept) if index not in dropped]


def _blocks(section: Section) -> int:
    return 1 + len(section.parts)


def _more(language: str) -> Section:
    text = say("card.more.text", language, name=_FILE)
    return Section(say("card.more", language), (Paragraph(text),))


def size_of(card: Card, limits: Capabilities) -> int:
    """Return the length of all texts of a card together, as the platform counts them."""
    texts = [card.title, card.summary, *card.badges]
    texts += [text for button in card.buttons for text in (button.label, button.confirm)]
    texts += [text for choice in card.choices for text in (choice.label, *(o.label for o in choice.options))]
    return sum(map(limits.length, texts)) + sum(_section_size(section, limits) for section in card.sections)


def _section_size(section: Section, limits: Capabilities) -> int:
    texts = [section.heading, section.aside]
    for part in section.parts:
        texts.extend(_texts(part))
    return sum(map(limits.length, texts))


def _texts(part: Part) -> list[str]:
    match part:
        case Paragraph(text) | Subheading(text):
            return [text]
        case Code():
            return [part.text, part.label, part.note]
        case Fields(fields):
            return [text for field in fields for text in (field.name, field.value)]
        case Bullets(items):
            return list(items)
        case Links(links):
            return [text for link in links for text in (link.text, link.url)]


def _attachment(card: Card, limits: Capabilities) -> Attachment:
    data = document_of(card).encode()[: limits.file_limit_bytes]
    return Attachment(_FILE, data.decode("utf-8", "ignore"))


def _cut(text: str, limit: int, limits: Capabilities) -> str:
    """Return the text, or its beginning with an ellipsis, within a limit as the platform counts."""
    if limits.length(text) <= limit:
        return text
    low, high = 0, min(len(text), max(limit, 0))
    while low < high:
        middle = (low + high + 1) // 2
        if limits.length(text[:middle]) + len(_ELLIPSIS) <= limit:
            low = middle
        else:
            high = middle - 1
    return text[:low] + _ELLIPSIS if limit >= len(_ELLIPSIS) else ""
