"""Cards as JSON and back, for whoever keeps or sends them. Not for drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adapters.chat.card import (
    Attachment,
    Bullets,
    Button,
    ButtonStyle,
    Card,
    Choice,
    Code,
    CodeKind,
    Field,
    Fields,
    Link,
    Links,
    Option,
    Paragraph,
    Part,
    Section,
    Subheading,
    Tone,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


def card_to_json(card: Card) -> dict[str, Any]:
    """Return the card as plain JSON values."""
    return {
        "title": card.title,
        "summary": card.summary,
        "tone": card.tone.value,
        "badges": list(card.badges),
        "language": card.language,
        "sections": [
            {
                "heading": section.heading,
                "aside": section.aside,
                "detail": section.detail,
                "parts": [_part_to_json(part) for part in section.parts],
            }
            for section in card.sections
        ],
        "choices": [
            {
                "action": choice.action,
                "label": choice.label,
                "options": [{"value": one.value, "label": one.label} for one in choice.options],
            }
            for choice in card.choices
        ],
        "buttons": [
            {
                "action": button.action,
                "value": button.value,
                "label": button.label,
                "style": button.style.value,
                "confirm": button.confirm,
            }
            for button in card.buttons
        ],
        "attachments": [
            {"name": file.name, "text": file.text, "media_type": file.media_type} for file in card.attachments
        ],
    }


def _part_to_json(part: Part) -> dict[str, Any]:
    match part:
        case Paragraph(text):
            return {"part": "paragraph", "text": text}
        case Subheading(text):
            return {"part": "subheading", "text": text}
        case Code():
            kind = part.kind.value
            return {"part": "code", "text": part.text, "kind": kind, "label": part.label, "note": part.note}
        case Fields(fields):
            return {"part": "fields", "fields": [{"name": one.name, "value": one.value} for one in fields]}
        case Bullets(items):
            return {"part": "bullets", "items": list(items)}
        case Links(links):
            return {"part": "links", "links": [{"text": link.text, "url": link.url} for link in links]}


def card_from_json(data: Mapping[str, Any]) -> Card:
    """Return the card that `card_to_json` wrote. Raises `KeyError` or `ValueError` for anything else."""
    return Card(
        title=data["title"],
        summary=data["summary"],
        tone=Tone(data["tone"]),
        badges=tuple(data["badges"]),
        language=data["language"],
        sections=tuple(
            Section(
                heading=section["heading"],
                parts=tuple(_part_from_json(part) for part in section["parts"]),
                aside=section["aside"],
                detail=section["detail"],
            )
            for section in data["sections"]
        ),
        # a card that was kept by an earlier release has none
        choices=tuple(
            Choice(
                one["action"],
                one["label"],
                tuple(Option(option["value"], option["label"]) for option in one["options"]),
            )
            for one in data.get("choices", ())
        ),
        buttons=tuple(
            Button(one["action"], one["value"], one["label"], ButtonStyle(one["style"]), one["confirm"])
            for one in data["buttons"]
        ),
        attachments=tuple(
            Attachment(one["name"], one["text"], one["media_type"]) for one in data["attachments"]
        ),
    )


def _part_from_json(data: Mapping[str, Any]) -> Part:
    match data["part"]:
        case "paragraph":
            return Paragraph(data["text"])
        case "subheading":
            return Subheading(data["text"])
        case "code":
            return Code(data["text"], CodeKind(data["kind"]), data["label"], data["note"])
        case "fields":
            return Fields(tuple(Field(one["name"], one["value"]) for one in data["fields"]))
        case "bullets":
            return Bullets(tuple(data["items"]))
        case "links":
            return Links(tuple(Link(one["text"], one["url"]) for one in data["links"]))
    raise ValueError(f"a card has no part of the kind {data['part']}")
