"""Card → Slack's blocks and the text beside them, within Slack's limits. Pure. Not for posting.

Everything that comes from a card stands in rich text, which Slack shows as it is: nothing in it is read as
mark-up, no fence can be closed from inside, nobody is called. Only `text`, which notifications and screen
readers use, is mark-up, so it is escaped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slack_sdk.models.blocks import (
    ActionsBlock,
    Block,
    ButtonElement,
    ConfirmObject,
    ContextBlock,
    HeaderBlock,
    Option,
    PlainTextObject,
    RichTextBlock,
    StaticSelectElement,
)

from adapters.chat.card import ButtonStyle, Tone
from adapters.chat.errors import TooLongError
from adapters.chat.interface import Capabilities
from adapters.chat.slack.options import NAME
from adapters.chat.slack.richtext import elements_of
from adapters.chat.slack.texts import cut, escaped_within, harmless, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from adapters.chat.card import Button, Card, Choice

#: a card that fits these fits Slack: titles become headers (150), all blocks together hold 13,200
#: characters, of which some go to line breaks and bullets; escaped characters are counted as Slack may
CAPABILITIES = Capabilities(
    title_limit=150,
    text_limit=2_900,
    field_limit=600,
    total_limit=11_500,
    blocks_limit=90,
    fields_limit=10,
    buttons_limit=10,
    button_label_limit=75,
    options_limit=100,
    file_limit_bytes=1 << 20,
    repeats_private=False,
    heavier=(("&", 4), ("<", 3), (">", 3)),
)
#: of one message
BLOCKS_LIMIT = 50
ALL_TEXTS_LIMIT = 13_000
#: `chat.update` takes 4,000 bytes
TEXT_BYTES = 3_000
_CONFIRM_LIMIT = 300
_CONFIRM_BUTTON = 30
_CONFIRM_TITLE = 100
_VALUE_LIMIT = 2_000
_OPTION_VALUE_LIMIT = 150
_CONTEXT_LIMIT = 10

_SIGNS = {Tone.GOOD: "🟢", Tone.NEUTRAL: "⚪", Tone.WARNING: "🟠", Tone.BAD: "🔴"}
_CANCEL = {"en": "Cancel", "zh": "取消"}


@dataclass(frozen=True, slots=True)
class Rendered:
    """What a message holds."""

    #: escaped
    text: str
    blocks: list[dict[str, Any]]


def render(card: Card, pages_url: str | None = None, aside: str = "") -> Rendered:
    """Return a card as Slack takes it. Raises `TooLongError` for one that was not made to fit.

    `pages_url` completes links to the bot's own pages; without it they are left out. `aside` is a few words
    in small type, such as who asked.
    """
    blocks = [block.to_dict() for block in _blocks(card, pages_url, aside)]
    if len(blocks) > BLOCKS_LIMIT:
        raise TooLongError(NAME, "the number of blocks", len(blocks), BLOCKS_LIMIT)
    length = sum(map(len, _texts(blocks)))
    if length > ALL_TEXTS_LIMIT:
        raise TooLongError(NAME, "the card", length, ALL_TEXTS_LIMIT)
    text = escaped_within(card.summary or card.title, TEXT_BYTES) or "…"
    return Rendered(text, blocks)


def _blocks(card: Card, pages_url: str | None, aside: str) -> Iterator[Block]:
    title = cut(harmless(card.title).strip(), CAPABILITIES.title_limit)
    if title:
        yield HeaderBlock(text=PlainTextObject(text=title, emoji=False))
    words = [word for word in (*card.badges, aside) if printable(word).strip()]
    if words:
        words[0] = f"{_SIGNS[card.tone]} {words[0]}"
        shown = [PlainTextObject(text=cut(harmless(word), CAPABILITIES.title_limit)) for word in words]
        yield ContextBlock(elements=shown[:_CONTEXT_LIMIT])
    for section in card.sections:
        elements = elements_of(section, pages_url)
        if elements:
            yield RichTextBlock(elements=elements)
    choices = [_choice(one, place) for place, one in enumerate(card.choices) if one.options]
    if choices:
        yield ActionsBlock(elements=choices)
    buttons = card.buttons[: CAPABILITIES.buttons_limit]
    if buttons:
        yield ActionsBlock(elements=[_button(one, place, card) for place, one in enumerate(buttons)])


def _button(button: Button, place: int, card: Card) -> ButtonElement:
    label = _label(button.label)
    question = cut(harmless(button.confirm).strip(), _CONFIRM_LIMIT)
    style = None if button.style is ButtonStyle.QUIET else button.style.value
    return ButtonElement(
        text=PlainTextObject(text=label, emoji=False),
        # unique in its block, as Slack demands, and still telling what kind of press it is
        action_id=f"{button.action}#{place}",
        value=printable(button.value)[:_VALUE_LIMIT] or None,
        style=style,
        confirm=_confirm(question, label, card.language) if question else None,
    )


def _choice(choice: Choice, place: int) -> StaticSelectElement:
    label = cut(harmless(choice.label).strip(), CAPABILITIES.title_limit) or "…"
    options = [
        Option(value=printable(one.value)[:_OPTION_VALUE_LIMIT], text=PlainTextObject(text=_label(one.label)))
        for one in choice.options[: CAPABILITIES.options_limit]
    ]
    return StaticSelectElement(
        placeholder=PlainTextObject(text=label, emoji=False),
        action_id=f"{choice.action}#choice-{place}",
        options=options,
    )


def _label(text: str) -> str:
    return cut(harmless(text).strip(), CAPABILITIES.button_label_limit) or "…"


def _confirm(question: str, label: str, language: str) -> ConfirmObject:
    return ConfirmObject(
        title=PlainTextObject(text=cut(label, _CONFIRM_TITLE), emoji=False),
        text=PlainTextObject(text=question, emoji=False),
        confirm=PlainTextObject(text=cut(label, _CONFIRM_BUTTON), emoji=False),
        deny=PlainTextObject(text=_CANCEL.get(language, _CANCEL["en"]), emoji=False),
    )


def _texts(node: object) -> Iterator[str]:
    """Yield every text that people read."""
    if isinstance(node, dict):
        for name, inner in node.items():
            if name == "text" and isinstance(inner, str):
                yield inner
            else:
                yield from _texts(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _texts(inner)
