"""The console's rooms: what people say and press there, and its log. Not for HTTP, and not for replies."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from adapters.chat.errors import UnreachableError
from adapters.chat.interface import IncomingMessage, MessageRef, Place, Trigger

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from datetime import datetime

    from adapters.chat.console.log import RoomEvent, RoomLog
    from adapters.chat.console.uploads import Uploads
    from adapters.chat.interface import Click, File, Inbox, Person

NAME = "console"
#: the console knows one team
TEAM = "local"


@dataclass(frozen=True, slots=True)
class Draft:
    """What somebody is about to say on the page."""

    author: Person
    channel: str
    text: str
    thread: str | None = None
    files: tuple[File, ...] = ()
    fields: Mapping[str, str] | None = None
    trigger: Trigger = Trigger.SAID
    language: str | None = None
    #: an id the page chose, so that sending twice says it once
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the console is given by whoever runs it."""

    log: RoomLog
    uploads: Uploads
    clock: Callable[[], datetime]
    new_id: Callable[[], str]
    #: takes secrets out of a text, and counts them
    mask: Callable[[str], Awaitable[tuple[str, int]]]


class Watchers:
    """Wakes everybody who follows the log."""

    def __init__(self) -> None:
        self._changed = asyncio.Event()

    def wake(self) -> None:
        """Tell everybody that there may be something new."""
        self._changed.set()
        self._changed = asyncio.Event()

    def ticket(self) -> asyncio.Event:
        """Return an event that is set at the next change; take it before looking at the log."""
        return self._changed


class Rooms:
    """The rooms of one console."""

    def __init__(self, surroundings: Surroundings) -> None:
        self.around = surroundings
        self.watchers = Watchers()
        #: where what is said goes; None while the bot is not running
        self.inbox: Inbox | None = None

    def close(self) -> None:
        """Take nothing more in, and let everybody go who follows the log."""
        self.inbox = None
        self.watchers.wake()

    async def append(self, channel: str, kind: str, key: str, payload: Mapping[str, Any]) -> RoomEvent:
        """Add to the log and wake who follows it."""
        event = await self.around.log.append(channel, kind, key, payload)
        self.watchers.wake()
        return event

    async def say(self, draft: Draft) -> RoomEvent:
        """Say something and hand it over. Raises `UnreachableError` while the bot is not running."""
        inbox = self._present_inbox()
        said, masked = await self._masked(draft)
        message_id = said.key or self.around.new_id()
        now = self.around.clock()
        shown = {**drawn(said, message_id, now), "masked": masked}
        event = await self.append(said.channel, "message", message_id, shown)
        await inbox.accept(
            IncomingMessage(
                ref=MessageRef(Place(NAME, TEAM, said.channel, said.thread), message_id),
                author=said.author,
                text=said.text,
                trigger=said.trigger,
                sent_at=now,
                delivery_keys=(f"message:{message_id}",),
                files=said.files,
                fields=dict(said.fields or {}),
                language=said.language,
                masked=masked,
            )
        )
        return event

    async def _masked(self, draft: Draft) -> tuple[Draft, int]:
        """Return what is said without its secrets, and how many there were: everybody sees it."""
        text, count = await self.around.mask(draft.text) if draft.text else ("", 0)
        fields: dict[str, str] = {}
        for name, value in (draft.fields or {}).items():
            fields[name], more = await self.around.mask(value)
            count += more
        files = tuple([replace(file, name=(await self.around.mask(file.name))[0]) for file in draft.files])
        return replace(draft, text=text, fields=fields, files=files), count

    async def change(self, message_id: str, person: Person, text: str) -> bool:
        """Give a message of this person another text; False when there is none."""
        inbox = self._present_inbox()
        event = await self.around.log.find("message", message_id)
        if event is None or event.payload["author"]["id"] != person.id:
            return False
        said = event.payload
        masked, count = await self.around.mask(text)
        edit_id, now = self.around.new_id(), self.around.clock()
        changed = {"id": message_id, "text": masked, "at": now.isoformat()}
        await self.append(event.channel, "change", edit_id, changed)
        await inbox.accept(
            IncomingMessage(
                ref=MessageRef(Place(NAME, TEAM, event.channel, said["thread"]), message_id),
                author=person,
                text=masked,
                trigger=Trigger.EDITED,
                sent_at=now,
                delivery_keys=(f"edit:{message_id}:{edit_id}",),
                fields=said["fields"],
                language=said.get("language"),
                masked=count,
            )
        )
        return True

    async def ask_again(self, message_id: str, person: Person) -> bool:
        """Ask about a message that got no answer; False when there is no such message."""
        inbox = self._present_inbox()
        event = await self.around.log.find("message", message_id)
        if event is None:
            return False
        said = event.payload
        await inbox.accept(
            IncomingMessage(
                ref=MessageRef(Place(NAME, TEAM, event.channel, said["thread"]), message_id),
                author=person,
                text=said["text"],
                trigger=Trigger.SHORTCUT,
                sent_at=self.around.clock(),
                delivery_keys=(f"ask:{message_id}:{self.around.new_id()}",),
                fields=said["fields"],
                language=said.get("language"),
                masked=said.get("masked", 0),
            )
        )
        return True

    async def press(self, click: Click) -> None:
        """Hand over that a button was pressed. Raises `UnreachableError` while the bot is not running."""
        await self._present_inbox().accept(click)

    def _present_inbox(self) -> Inbox:
        if self.inbox is None:
            raise UnreachableError(NAME, "a message: the bot is not running")
        return self.inbox


def drawn(draft: Draft, message_id: str, now: datetime) -> dict[str, Any]:
    """Return what the page draws of a message."""
    return {
        "id": message_id,
        "thread": draft.thread,
        "author": {"id": draft.author.id, "name": draft.author.name, "is_bot": draft.author.is_bot},
        "text": draft.text,
        "files": [{"name": file.name, "size_bytes": file.size_bytes} for file in draft.files],
        "fields": dict(draft.fields or {}),
        "trigger": draft.trigger.value,
        "language": draft.language,
        "at": now.isoformat(),
    }
