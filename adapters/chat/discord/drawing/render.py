"""Card → what a Discord message holds: text, embeds, buttons, files, all within Discord's limits. Pure.

Not for sending. The verdict is the message's own text, so that notifications, screen readers and clients
that hide embeds have it; all else stands in embeds, which ping nobody.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adapters.chat.card import Attachment, ButtonStyle, Paragraph, Tone
from adapters.chat.discord.drawing.blocks import BLOCK_LIMIT, MORE, Block, blocks_of, within
from adapters.chat.discord.drawing.escaping import cut, escaped, harmless, printable, sentence, weight
from adapters.chat.discord.ids import ButtonId, choice_id
from adapters.chat.interface import Capabilities

if TYPE_CHECKING:
    from collections.abc import Iterable

    from adapters.chat.card import Button, Card, Choice
    from adapters.chat.discord.ids import OwnMark

#: a card that fits these fits Discord: all embeds of a message hold 6,000 characters, of which some go to
#: mark-up; what is escaped counts twice
CAPABILITIES = Capabilities(
    title_limit=200,
    text_limit=1_800,
    field_limit=600,
    total_limit=4_900,
    blocks_limit=60,
    fields_limit=12,
    buttons_limit=10,
    button_label_limit=80,
    options_limit=25,
    file_limit_bytes=1 << 20,
    heavier=tuple((character, 1) for character in "\\*_~|`[]@<#>"),
)
CONTENT_LIMIT = 2_000
EMBEDS_TOTAL = 6_000
EMBED_TITLE = 256
BUTTON_LABEL = 80
BUTTONS_IN_A_ROW = 5
BUTTONS = 25
#: each takes a row of the five; so many leave three to buttons
CHOICES = 2
OPTION_LABEL = 100
OPTION_VALUE = 100
PLACEHOLDER = 150
FILES = 10
#: of all files of a message; Discord takes 10 MiB
FILES_BYTES = 8 << 20
_EMBEDS = 10
_LONGEST_ID = "9" * 20
_NAME_LIMIT = 100
_ODD_NAME = re.compile(r"[^A-Za-z0-9._-]")
_COLOURS = {Tone.GOOD: 0x2E9E5B, Tone.NEUTRAL: 0x6B7280, Tone.WARNING: 0xD98E04, Tone.BAD: 0xD64545}


@dataclass(frozen=True, slots=True)
class DrawnButton:
    """A button within Discord's limits."""

    custom_id: str
    label: str
    style: ButtonStyle


@dataclass(frozen=True, slots=True)
class DrawnChoice:
    """A choice within Discord's limits."""

    custom_id: str
    label: str
    #: value and label of each
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a message holds."""

    content: str
    #: embeds as Discord's API writes them
    embeds: tuple[dict[str, Any], ...]
    buttons: tuple[DrawnButton, ...] = ()
    files: tuple[Attachment, ...] = ()
    choices: tuple[DrawnChoice, ...] = ()


def render(card: Card, mark: OwnMark, pages_url: str | None = None, asker: str | None = None) -> Drawn:
    """Return a card as Discord takes it. Raises `TooLongError` when a button's value does not fit.

    `pages_url` completes links to the bot's own pages; without it they are left out. `asker` is the id of
    the person to name first, where nothing else shows whom the reply is for.
    """
    content = _content(card, asker)
    footer = {"text": str(mark)}
    blocks = [block for block in blocks_of(card, pages_url) if block.shown.strip()]
    if blocks and isinstance(_first_part(card), Paragraph) and _is_said(blocks[0].plain, card):
        del blocks[0]
    texts, left = _packed(blocks, EMBEDS_TOTAL - weight(footer["text"]))
    if not texts:
        title = within(" ".join(card.title.split()), EMBED_TITLE, escaped)
        texts = [title if title.strip() else "…"]
    embeds: list[dict[str, Any]] = [{"description": text, "color": _COLOURS[card.tone]} for text in texts]
    embeds[-1]["footer"] = footer
    files = _files((*_more(left), *card.attachments))
    return Drawn(content, tuple(embeds), tuple(_buttons(card.buttons)), files, tuple(_choices(card.choices)))


def _first_part(card: Card) -> object:
    """Return what the card's sections begin with, if that is no heading."""
    for section in card.sections:
        if section.heading.strip() or section.aside.strip():
            return None
        if section.parts:
            return section.parts[0]
    return None


def _is_said(text: str, card: Card) -> bool:
    """Tell whether the verdict says a text already."""
    return len(card.sections) + len(card.sections[0].parts) > 2 and text.strip() in card.summary


def _content(card: Card, asker: str | None) -> str:
    """Return the verdict, its beginning in bold type."""
    calling = f"<@{asker}> " if asker and asker.isdigit() else ""
    title, summary = " ".join(card.title.split()), " ".join(card.summary.split())
    rest = summary.removeprefix(title) if title and summary.startswith(title) else summary
    bold = f"**{within(title, CONTENT_LIMIT // 2, sentence)}**" if harmless(title).strip() else ""
    badges = " · ".join(badge for badge in card.badges if badge.strip() and badge not in summary)
    small = f"\n-# {within(badges, CONTENT_LIMIT // 8, sentence)}" if badges else ""
    between = "" if rest == summary.removeprefix(title) and rest != summary else "\n"
    room = CONTENT_LIMIT - weight(calling + bold + between + small)
    said = within(rest, room, sentence) if rest.strip() else ""
    content = f"{calling}{bold}{between if said else ''}{said}{small}"
    return content if content.strip() else "…"


def _packed(blocks: list[Block], room: int) -> tuple[list[str], list[Block]]:
    """Return the texts of the embeds, and the blocks whose whole text they do not hold."""
    forward = f"\n\n… `{MORE}`"
    texts: list[str] = []
    left = [block for block in blocks if block.is_short]
    used = 0
    for number, block in enumerate(blocks):
        joined = f"{texts[-1]}{block.gap}{block.shown}" if texts else block.shown
        fits = bool(texts) and weight(joined) <= BLOCK_LIMIT
        size = weight(joined) - weight(texts[-1]) if fits else weight(block.shown)
        reserve = weight(forward) if number + 1 < len(blocks) or left else 0
        if used + size > room - reserve or (not fits and len(texts) == _EMBEDS):
            rest = [one for one in blocks[number:] if one not in left]
            return _with_forward(texts, forward), [*left, *rest]
        if fits:
            texts[-1] = joined
        else:
            texts.append(block.shown)
        used += size
    return texts, left


def _with_forward(texts: list[str], forward: str) -> list[str]:
    if texts and weight(texts[-1] + forward) <= BLOCK_LIMIT:
        return [*texts[:-1], texts[-1] + forward]
    return [*texts, forward.strip()]


def _more(left: list[Block]) -> tuple[Attachment, ...]:
    if not left:
        return ()
    return (Attachment(MORE, "\n\n".join(block.plain for block in left) + "\n"),)


def _files(attachments: Iterable[Attachment]) -> tuple[Attachment, ...]:
    files: list[Attachment] = []
    room = FILES_BYTES
    for one in attachments:
        data = printable(one.text).encode()[:room]
        name = _ODD_NAME.sub("_", one.name)[-_NAME_LIMIT:].lstrip(".") or "answer.md"
        files.append(Attachment(name, data.decode("utf-8", "ignore"), one.media_type))
        room -= len(data)
    return tuple(files[:FILES])


def _buttons(buttons: Iterable[Button]) -> list[DrawnButton]:
    drawn: dict[str, DrawnButton] = {}
    for button in buttons:
        asks = bool(button.confirm.strip())
        custom_id = str(ButtonId(button.action, button.value, asks=asks))
        if asks:
            # The button that confirms it must fit as well.
            str(ButtonId(button.action, button.value, card=_LONGEST_ID, is_asked=True))
        label = _label(button.label, BUTTON_LABEL) or button.action[:BUTTON_LABEL]
        # Discord refuses a message with one id twice.
        drawn.setdefault(custom_id, DrawnButton(custom_id, label, button.style))
    return list(drawn.values())[:BUTTONS]


def _choices(choices: Iterable[Choice]) -> list[DrawnChoice]:
    drawn: dict[str, DrawnChoice] = {}
    for choice in choices:
        custom_id = choice_id(choice.action)
        options = {
            one.value: _label(one.label, OPTION_LABEL) or "…"
            for one in choice.options
            if 0 < len(one.value) <= OPTION_VALUE
        }
        shown = tuple(options.items())[: CAPABILITIES.options_limit]
        if shown:
            drawn.setdefault(custom_id, DrawnChoice(custom_id, _label(choice.label, PLACEHOLDER), shown))
    return list(drawn.values())[:CHOICES]


def _label(text: str, limit: int) -> str:
    return cut(" ".join(harmless(text).split()), limit)
