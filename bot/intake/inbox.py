"""Keeps every event once, masked, before the platform hears that it arrived. Not for answering it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from adapters.chat.interface import Click, IncomingMessage, Place, Trigger
from bot.intake.payload import click_to_json, message_to_json
from bot.store.interface import InboxEntry

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.clock import Clock, NewId
    from bot.store.interface import InboxStore

#: kinds of entries
MESSAGE = "message"
CLICK = "click"
#: what a followed log shows, and no message stands for yet
RAISED = "raised"


def thread_of(event: IncomingMessage | Click) -> Place:
    """Return the thread that an event belongs to; a message outside any thread heads its own."""
    ref = event.ref if isinstance(event, IncomingMessage) else event.message
    return replace(ref.place, thread=ref.place.thread or ref.id)


class KeptInbox:
    """The inbox that all platforms deliver to; meets `Inbox`."""

    def __init__(
        self,
        store: InboxStore,
        mask: Callable[[str], Awaitable[tuple[str, int]]],
        clock: Clock,
        new_id: NewId,
    ) -> None:
        self._store = store
        self._mask = mask
        self._clock = clock
        self._new_id = new_id
        #: set whenever something new may be waiting
        self.arrived = asyncio.Event()

    async def accept(self, event: IncomingMessage | Click) -> bool:
        """Keep the event; False when one of its delivery keys was seen before."""
        entry = await self._entry(event)
        is_new = await self._store.keep(entry, event.delivery_keys)
        self.arrived.set()
        return is_new

    async def _masked(self, message: IncomingMessage) -> IncomingMessage:
        text, count = await self._mask(message.text) if message.text else ("", 0)
        fields: dict[str, str] = {}
        for name, value in message.fields.items():
            fields[name], more = await self._mask(value)
            count += more
        files = tuple([replace(file, name=(await self._mask(file.name))[0]) for file in message.files])
        return replace(message, text=text, fields=fields, files=files, masked=message.masked + count)

    async def _entry(self, event: IncomingMessage | Click) -> InboxEntry:
        if isinstance(event, Click):
            kind, message, payload = CLICK, event.message.id, click_to_json(event)
        else:
            kind = RAISED if event.trigger is Trigger.WATCHED else MESSAGE
            message, payload = event.ref.id, message_to_json(await self._masked(event))
        return InboxEntry(
            id=self._new_id(),
            kind=kind,
            place=thread_of(event),
            message=message,
            payload=payload,
            received_at=self._clock(),
        )
