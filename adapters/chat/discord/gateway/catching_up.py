"""Reads again what was said while nobody listened, within limits. Not for what the library resumes itself.

The inbox knows what it has seen, so reading too much does no harm. Notes that outlive the process say since
when the bot listens and up to when everything was heard; what is older than the first is never read.
"""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

import discord
import structlog

from adapters.chat.discord.refusals import TROUBLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from adapters.chat.discord.gateway.client import Client
    from adapters.chat.discord.gateway.intake import Known
    from adapters.chat.discord.options import DiscordOptions
    from adapters.chat.interface import Inbox, IncomingMessage

#: keys of the notes
LISTENING, HEARD = "listening-since", "heard-until"

Readable = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread


class Reader(Protocol):
    """Turns a message into an event."""

    def __call__(self, message: discord.Message, *, edited: bool) -> IncomingMessage | None:
        """Return what a message says, if it is listened to; `edited`: as a later text of itself."""


class CatchUp:
    """Knows up to when everything was heard, and reads what came after."""

    def __init__(self, options: DiscordOptions, client: Client, read: Reader, known: Known) -> None:
        self._options = options
        self._client = client
        self._read = read
        self._known = known
        #: channels that are still to be read, and since when
        self._left: dict[int, tuple[Readable, datetime]] = {}
        self._noted_at: datetime | None = None
        self._gap = asyncio.Event()
        #: nothing is missing as far as we know
        self.is_done = False
        self._log = structlog.get_logger(__name__)

    def missed(self) -> None:
        """Hear that something may have been missed until now."""
        self.is_done = False
        self._gap.set()

    async def note(self, *, at_once: bool = False) -> None:
        """Write down that everything was heard until now, unless that was written a moment ago."""
        if self._options.notebook is None or not self.is_done:
            return
        now = self._options.clock()
        every = self._options.catching_up.note_every
        if at_once or self._noted_at is None or now - self._noted_at >= every:
            self._noted_at = now
            await self._options.notebook.write(HEARD, now.isoformat())

    async def run(self, inbox: Inbox) -> None:
        """Read after each gap, and again what could not be read, until cancelled."""
        pause = self._options.timing.retry_s
        while True:
            try:
                await self._begin()
                if not self._left:
                    await self._gap.wait()
                await self._look_round()
                await self._read_left(inbox)
                self.is_done = not self._gap.is_set()
                await self.note(at_once=True)
            except Exception as error:  # noqa: BLE001 (outermost loop: the gap stays until it is read)
                self._log.warning(
                    "not-caught-up", error=repr(error), channels=len(self._left), again_in_s=pause
                )
                await asyncio.sleep(pause)
                pause = min(pause * 2, self._options.timing.retry_most_s)
            else:
                pause = self._options.timing.retry_s

    async def _begin(self) -> None:
        """Write down that the bot listens from now on, the first time it ever does."""
        notebook = self._options.notebook
        if notebook is not None and await notebook.read(LISTENING) is None:
            now = self._options.clock().isoformat()
            await notebook.write(LISTENING, now)
            await notebook.write(HEARD, now)

    async def _look_round(self) -> None:
        """Find out where something may have been said during the gaps so far."""
        if not self._gap.is_set():
            return
        since = await self._since()
        self._gap.clear()
        if since is None:
            return
        for channel in _channels(self._client):
            if _is_newer(channel, since):
                _, earlier = self._left.get(channel.id, (channel, since))
                self._left[channel.id] = channel, min(earlier, since)

    async def _read_left(self, inbox: Inbox) -> None:
        """Read what is left; a channel that fails holds up no other. Raises what went wrong last."""
        trouble: BaseException | None = None
        for number, (channel, since) in list(self._left.items()):
            try:
                messages = await self._said_in(channel, since)
            except TROUBLE as error:
                trouble = error
                continue
            await self._take(messages, inbox)
            del self._left[number]
        if trouble is not None:
            raise trouble

    async def _since(self) -> datetime | None:
        """Return from when on to read; None when nobody took notes."""
        notebook, limits = self._options.notebook, self._options.catching_up
        if notebook is None:
            return None
        listening, heard = await notebook.read(LISTENING), await notebook.read(HEARD)
        if listening is None or heard is None:
            return None
        return max(
            datetime.fromisoformat(heard) - limits.overlap,
            datetime.fromisoformat(listening),
            self._options.clock() - limits.window,
        )

    async def _said_in(self, channel: Readable, since: datetime) -> list[discord.Message]:
        """Return what was said there since then, oldest first; nothing where that may not be read."""
        limit = self._options.catching_up.limit
        try:
            newest_first = [
                message async for message in channel.history(limit=limit, after=since, oldest_first=False)
            ]
        except (discord.Forbidden, discord.NotFound):
            self._log.info("cannot-read-again", channel=channel.id)
            return []
        return newest_first[::-1]

    async def _take(self, messages: list[discord.Message], inbox: Inbox) -> None:
        for message in messages:
            event = self._read(message, edited=False)
            if event is None or await self._keep(event, inbox) or message.edited_at is None:
                continue
            if later := self._read(message, edited=True):
                await self._keep(later, inbox)

    async def _keep(self, event: IncomingMessage, inbox: Inbox) -> bool:
        """Have an event kept; False when it was already."""
        if event in self._known:
            return False
        is_new = await inbox.accept(event)
        self._known.note(event)
        return is_new


def _channels(client: Client) -> Iterator[Readable]:
    """Return where messages may stand that we may read; direct messages are not listed by Discord."""
    for guild in client.guilds:
        channels: list[Readable] = [
            *guild.text_channels,
            *guild.voice_channels,
            *guild.stage_channels,
            *guild.threads,
        ]
        yield from (channel for channel in channels if _may_read(channel, guild.me))


def _may_read(channel: Readable, me: discord.Member | None) -> bool:
    """Tell whether we may read a channel; where that cannot be told, Discord is asked."""
    if me is None or (isinstance(channel, discord.Thread) and channel.parent is None):
        return True
    may = channel.permissions_for(me)
    return may.view_channel and may.read_message_history


def _is_newer(channel: Readable, since: datetime) -> bool:
    """Tell whether something may have been said since; a channel that does not say is read."""
    last = channel.last_message_id
    return last is None or discord.utils.snowflake_time(last) >= since
