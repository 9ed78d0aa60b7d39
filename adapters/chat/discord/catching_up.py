"""Reads again what was said while nobody listened, within limits. Not for what the library resumes itself.

The inbox knows what it has seen, so reading too much does no harm. A note that outlives the process says up
to when everything was heard; before the first note nothing is read.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import discord
import structlog


if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from adapters.chat.discord.client import Client
    from adapters.chat.discord.options import DiscordOptions
    from adapters.chat.interface import Inbox, IncomingMessage

#: key of the note
HEARD = "heard-until"

Readable = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread


class CatchUp:
    """Knows up to when everything was heard, and reads what came after."""

    def __init__(
        self,
        options: DiscordOptions,
        read: Callable[[discord.Message, bool], IncomingMessage | None],
    ) -> None:
        """`read` turns a message into an event; its flag says that it is a later text."""
        self._options = options
        self._read = read
        self._noted_at: datetime | None = None
        #: nothing is missing as far as we know
        self.is_done = False
        self._log = structlog.get_logger(__name__)

    async def note(self, *, at_once: bool = False) -> None:
        """Write down that everything was heard until now, unless that was written a moment ago."""
        now = self._options.clock()
        every = self._options.catching_up.note_every
        if self._options.notebook is None or not self.is_done:
            return
        if at_once or self._noted_at is None or now - self._noted_at >= every:
            self._noted_at = now
            await self._options.notebook.write(HEARD, now.isoformat())

    async def read_again(self, client: Client, inbox: Inbox) -> None:
        """Hand over what was missed. Raises what discord.py and the inbox raise; then it is to be repeated."""
        since = await self._since()
        if since is not None:
            for channel in _channels(client):
                if _is_newer(channel, since):
                    await self._channel(channel, since, inbox)
        self.is_done = True
        await self.note(at_once=True)

    async def _since(self) -> datetime | None:
        """Return from when on to read; None when this is the first time."""
        limits = self._options.catching_up
        noted = await self._options.notebook.read(HEARD) if self._options.notebook else None
        if noted is None:
            return None
        now = self._options.clock()
        return max(datetime.fromisoformat(noted) - limits.overlap, now - limits.window)

    async def _channel(self, channel: Readable, since: datetime, inbox: Inbox) -> None:
        limit = self._options.catching_up.limit
        try:
            newest_first = [
                message async for message in channel.history(limit=limit, after=since, oldest_first=False)
            ]
        except discord.Forbidden:
            self._log.info("cannot-read-again", channel=channel.id)
            return
        for message in reversed(newest_first):
            event = self._read(message, False)  # noqa: FBT003 (a callable has no names)
            if event is None or await inbox.accept(event):
                continue
            if message.edited_at is not None and (later := self._read(message, True)):  # noqa: FBT003
                await inbox.accept(later)


def _channels(client: Client) -> Iterator[Readable]:
    """Return where messages may stand that we may read; direct messages are not listed by Discord."""
    for guild in client.guilds:
        channels: list[Readable] = [
            *guild.text_channels,
            *guild.voice_channels,
            *guild.stage_channels,
            *guild.threads,
        ]
        for channel in channels:
            may = channel.permissions_for(guild.me)
            if may.view_channel and may.read_message_history:
                yield channel


def _is_newer(channel: Readable, since: datetime) -> bool:
    """Tell whether something may have been said since; a channel that says nothing is read."""
    last = channel.last_message_id
    return last is None or discord.utils.snowflake_time(last) >= since


