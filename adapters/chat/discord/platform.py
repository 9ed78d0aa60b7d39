"""Discord as a chat platform: what is heard and what is said, behind one interface."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.chat.discord.drawing.render import CAPABILITIES
from adapters.chat.discord.gateway.hearing import Hearing
from adapters.chat.discord.heading import head_thread
from adapters.chat.discord.options import NAME
from adapters.chat.discord.posting import Posting
from adapters.chat.discord.roles import Roles

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from adapters.chat.discord.gateway.client import Client
    from adapters.chat.discord.options import DiscordOptions
    from adapters.chat.interface import Capabilities, File, Inbox, Mark, MessageRef, Place, Reply


class DiscordPlatform:
    """One bot account on Discord; meets `ChatPlatform`. Runs once."""

    def __init__(self, options: DiscordOptions) -> None:
        self._hearing = Hearing(options)
        self._roles = Roles(self.client)
        self._posting = Posting(options, self.client, self._hearing.acknowledging)

    @property
    def client(self) -> Client:
        """Return the library's client; it is not started before `run`."""
        return self._hearing.client

    @property
    def name(self) -> str:
        """Return the name that places on Discord hold."""
        return NAME

    @property
    def capabilities(self) -> Capabilities:
        """Return what a Discord message can show."""
        return CAPABILITIES

    @property
    def is_connected(self) -> bool:
        """Tell whether events arrive right now."""
        return self._hearing.is_connected

    @property
    def is_idle(self) -> bool:
        """Tell whether all that was heard is kept and nothing is being caught up on."""
        return self._hearing.is_idle

    async def run(self, inbox: Inbox) -> None:
        """Deliver events until cancelled. Raises `NotAllowedError` when Discord refuses for good."""
        await self._hearing.run(inbox)

    def listening(self, inbox: Inbox) -> AbstractAsyncContextManager[None]:
        """Deliver events for the length of a block, for whoever connects the client in a way of their own."""
        return self._hearing.listening(inbox)

    async def post(self, place: Place, reply: Reply) -> MessageRef:
        """Show a reply: in the thread it belongs to, or as an answer to the message that asked.

        A private reply is seen by one person alone where Discord can: after a command, menu, form or press.
        Who asked by a message is answered where everybody saw the question.
        """
        await self._hearing.connected()
        return await self._posting.post(place, reply)

    async def open_thread(self, channel: str, reply: Reply, *, may_be_out: bool) -> MessageRef:
        """Show a reply that heads a thread. Raises `ChatError`."""
        await self._hearing.connected()
        return await head_thread(self.client, self._posting, channel, reply, may_be_out=may_be_out)

    async def find_reply(self, place: Place, reply_id: str) -> MessageRef | None:
        """Return our reply with this id if the place shows it to everybody."""
        await self._hearing.connected()
        return await self._posting.find(place, reply_id)

    async def edit(self, ref: MessageRef, reply: Reply) -> None:
        """Show another card in place of one of ours."""
        await self._hearing.connected()
        await self._posting.edit(ref, reply)

    async def mark(self, ref: MessageRef, mark: Mark) -> None:
        """Do nothing: a reaction beside every message of a busy channel would be noise, and cost its rate."""

    async def fetch(self, file: File, into: Path, limit_bytes: int) -> None:
        """Write the bytes of an attachment, read from Discord's own servers alone."""
        await self._hearing.connected()
        await self._hearing.attachments.fetch(file, into, limit_bytes)

    async def groups_of(
        self, team: str, person_id: str, among: frozenset[str], age_s: float
    ) -> frozenset[str]:
        """Return which of these roles somebody has. Raises `ChatError`."""
        await self._hearing.connected()
        return await self._roles.of(team, person_id, among, age_s)

    async def done_with(self, file: File) -> None:
        """Do nothing: no copies are kept."""


def create(options: DiscordOptions) -> DiscordPlatform:
    """Return the platform; its client is not started."""
    return DiscordPlatform(options)
