"""Events as the JSON that the inbox keeps, and back. Not for judging them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from adapters.chat.interface import Click, File, IncomingMessage, MessageRef, Person, Place, Trigger

if TYPE_CHECKING:
    from collections.abc import Mapping


def message_to_json(message: IncomingMessage) -> dict[str, Any]:
    """Return a message as plain JSON values; its place is kept beside it."""
    return {
        "author": _person_to_json(message.author),
        "text": message.text,
        "trigger": message.trigger.value,
        "sent_at": message.sent_at.isoformat(),
        "thread": message.ref.place.thread,
        "files": [
            {"id": file.id, "name": file.name, "size_bytes": file.size_bytes, "media_type": file.media_type}
            for file in message.files
        ],
        "fields": dict(message.fields),
        "language": message.language,
        "masked": message.masked,
        "handle": message.handle,
        "groups": list(message.groups),
    }


def message_from_json(place: Place, message: str, data: Mapping[str, Any]) -> IncomingMessage:
    """Return the message that was kept; it has no delivery keys any more."""
    where = Place(place.platform, place.team, place.channel, data["thread"])
    return IncomingMessage(
        ref=MessageRef(where, message),
        author=_person_from_json(data["author"]),
        text=data["text"],
        trigger=Trigger(data["trigger"]),
        sent_at=datetime.fromisoformat(data["sent_at"]),
        delivery_keys=(),
        files=tuple(File(**file) for file in data["files"]),
        fields=data["fields"],
        language=data["language"],
        masked=data["masked"],
        handle=data["handle"],
        groups=tuple(data.get("groups", ())),
    )


def click_to_json(click: Click) -> dict[str, Any]:
    """Return a click as plain JSON values; its place is kept beside it."""
    return {
        "person": _person_to_json(click.person),
        "action": click.action,
        "value": click.value,
        "clicked_at": click.clicked_at.isoformat(),
        "thread": click.message.place.thread,
        "handle": click.handle,
        "groups": list(click.groups),
        "language": click.language,
    }


def click_from_json(place: Place, message: str, data: Mapping[str, Any]) -> Click:
    """Return the click that was kept; it has no delivery keys any more."""
    where = Place(place.platform, place.team, place.channel, data["thread"])
    return Click(
        message=MessageRef(where, message),
        person=_person_from_json(data["person"]),
        action=data["action"],
        value=data["value"],
        clicked_at=datetime.fromisoformat(data["clicked_at"]),
        delivery_keys=(),
        handle=data["handle"],
        groups=tuple(data.get("groups", ())),
        language=data.get("language"),
    )


def _person_to_json(person: Person) -> dict[str, Any]:
    return {"id": person.id, "name": person.name, "is_bot": person.is_bot}


def _person_from_json(data: Mapping[str, Any]) -> Person:
    return Person(data["id"], data["name"], data["is_bot"])
