"""The console as a chat platform: replies, edits and signs go into the log of its rooms. Not for HTTP."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from adapters.chat.console.rooms import NAME, TEAM, Draft, drawn
from adapters.chat.interface import (
    Capabilities,
    MessageRef,
    Person,
    Place,
    Trigger,
    Visibility,
    card_to_json,
)

if TYPE_CHECKING:
    from pathlib import Path

    from adapters.chat.console.rooms import Rooms
    from adapters.chat.interface import File, Inbox, Mark, Reply

#: who says what answers nobody
_BOT = Person("vllm-diagnose", "vllm-diagnose", is_bot=True)
CAPABILITIES = Capabilities(
    title_limit=300,
    text_limit=20_000,
    field_limit=1_000,
    total_limit=200_000,
    blocks_limit=400,
    fields_limit=20,
    buttons_limit=10,
    button_label_limit=80,
    options_limit=500,
    file_limit_bytes=1 << 20,
    has_own_pages=True,
)


class ConsolePlatform:
    """Rooms on a local page; meets `ChatPlatform`."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms

    @property
    def name(self) -> str:
        """Return the name that places of the console hold."""
        return NAME

    @property
    def capabilities(self) -> Capabilities:
        """Return what the page can show."""
        return CAPABILITIES

    async def run(self, inbox: Inbox) -> None:
        """Hand over what is said on the page until cancelled."""
        self._rooms.inbox = inbox
        try:
            await asyncio.Event().wait()
        finally:
            self._rooms.close()

    async def post(self, place: Place, reply: Reply) -> MessageRef:
        """Show a reply in a room."""
        payload = {
            "thread": place.thread,
            "card": card_to_json(reply.card),
            "at": self._rooms.around.clock().isoformat(),
            "recipient": reply.recipient if reply.visibility is Visibility.PRIVATE else None,
        }
        await self._rooms.append(place.channel, "reply", reply.id, {"id": reply.id, **payload})
        return MessageRef(place, reply.id)

    async def open_thread(self, channel: str, reply: Reply, *, may_be_out: bool) -> MessageRef:
        """Say something in a room that answers nothing; the log of the rooms takes it once."""
        del may_be_out
        text = "\n".join((reply.card.title, *reply.card.badges))
        draft = Draft(_BOT, channel, text, trigger=Trigger.WATCHED, language=reply.card.language)
        said = {**drawn(draft, reply.id, self._rooms.around.clock()), "masked": 0}
        await self._rooms.append(channel, "message", reply.id, said)
        return MessageRef(Place(NAME, TEAM, channel), reply.id)

    async def find_reply(self, place: Place, reply_id: str) -> MessageRef | None:
        """Return our reply with this id if the room shows it."""
        event = await self._rooms.around.log.find("reply", reply_id)
        return MessageRef(place, reply_id) if event is not None else None

    async def edit(self, ref: MessageRef, reply: Reply) -> None:
        """Show another card in place of one of ours."""
        payload = {
            "id": ref.id,
            "thread": ref.place.thread,
            "card": card_to_json(reply.card),
            "at": self._rooms.around.clock().isoformat(),
        }
        await self._rooms.append(ref.place.channel, "edit", self._rooms.around.new_id(), payload)

    async def mark(self, ref: MessageRef, mark: Mark) -> None:
        """Put a sign beside a message."""
        payload = {"id": ref.id, "mark": mark.value}
        await self._rooms.append(ref.place.channel, "mark", self._rooms.around.new_id(), payload)

    async def fetch(self, file: File, into: Path, limit_bytes: int) -> None:
        """Write the bytes of a dropped file."""
        await self._rooms.around.uploads.hand_over(file, into, limit_bytes)

    async def groups_of(
        self, team: str, person_id: str, among: frozenset[str], age_s: float
    ) -> frozenset[str]:
        """Return none: the page has no groups."""
        del team, person_id, among, age_s
        return frozenset()

    async def done_with(self, file: File) -> None:
        """Remove a dropped file."""
        self._rooms.around.uploads.forget(file)
