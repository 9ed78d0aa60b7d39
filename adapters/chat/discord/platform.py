"""Discord as a chat platform: one client, what it hears, and what is said through it."""

from __future__ import annotations

import asyncio
import hashlib
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import discord
import structlog

from adapters.chat.discord.catching_up import CatchUp
from adapters.chat.discord.cdn import Attachments
from adapters.chat.discord.client import make_client
from adapters.chat.discord.drawing.render import CAPABILITIES
from adapters.chat.discord.inbound import Threads, message_of
from adapters.chat.discord.intake import Intake, Texts
from adapters.chat.discord.interactions import CardButton, Interactions, tree_of
from adapters.chat.discord.options import NAME, Mode
from adapters.chat.discord.posting import Posting
from adapters.chat.discord.refusals import NOT_THERE, TROUBLE, fatal
from adapters.chat.errors import UnreachableError

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from pathlib import Path

    from adapters.chat.discord.ids import ButtonId
    from adapters.chat.discord.options import DiscordOptions
    from adapters.chat.interface import (
        Capabilities,
        File,
        Inbox,
        IncomingMessage,
        Mark,
        MessageRef,
        Place,
        Reply,
    )

#: key under which the notebook has the digest of the commands that Discord knows
COMMANDS = "commands"


class DiscordPlatform:
    """One bot account on Discord; meets `ChatPlatform`. Runs once."""

    def __init__(self, options: DiscordOptions) -> None:
        self._options = options
        self._hearing = _Hearing(options)
        #: not started before `run`
        self.client = self._hearing.client
        self._posting = Posting(options, self.client)

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

    async def post(self, place: Place, reply: Reply) -> MessageRef:
        """Show a reply: in the thread it belongs to, or as an answer to the message that asked."""
        await self._hearing.connected()
        return await self._posting.post(place, reply)

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

    async def done_with(self, file: File) -> None:
        """Do nothing: no copies are kept."""


class _Hearing:
    """Hears what the client tells; meets `Ears`."""

    def __init__(self, options: DiscordOptions) -> None:
        self._options = options
        self.client = make_client(options, self)
        self.client.add_dynamic_items(CardButton)
        self._tree = tree_of(self.client, options.words, lambda: self._interactions)
        self.attachments = Attachments(options, self.client)
        self._threads = Threads()
        self._texts = Texts()
        self._catch_up = CatchUp(options, self._event)
        self._inbox: Inbox | None = None
        self._intake: Intake | None = None
        self._interactions: Interactions | None = None
        self._there = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._catching: asyncio.Task[None] | None = None
        self._log = structlog.get_logger(__name__)

    @property
    def is_connected(self) -> bool:
        """Tell whether events arrive right now."""
        return self._there.is_set() and self.client.is_ready() and not self.client.is_closed()

    @property
    def is_idle(self) -> bool:
        """Tell whether nothing that was heard waits to be kept."""
        return self._intake is not None and self._intake.is_idle and self._catch_up.is_done

    async def connected(self) -> None:
        """Wait until the connection stands. Raises `UnreachableError`."""
        try:
            async with asyncio.timeout(self._options.timing.connection_s):
                await self._there.wait()
        except TimeoutError as error:
            raise UnreachableError(NAME, "anything: there is no connection yet") from error

    async def run(self, inbox: Inbox) -> None:
        """Hear until cancelled, and close everything. Raises `NotAllowedError`."""
        self._inbox = inbox
        self._intake = Intake(inbox, self._missed, self._catch_up.note)
        self._interactions = Interactions(self._options, inbox, self._threads)
        self._begin(self._intake.run())
        try:
            await self._stay_connected()
        finally:
            self._interactions = None
            self._there.clear()
            await self._close()

    async def said(self, message: discord.Message) -> None:
        """Hear a message."""
        self._texts.is_new(message.id, message.content)
        self._take(message, edited=False)

    async def changed(self, message: discord.Message) -> None:
        """Hear that a message may have another text; previews that Discord adds change none."""
        if message.edited_at is not None and self._texts.is_new(message.id, message.content):
            self._take(message, edited=True)

    async def is_there(self) -> None:
        """Hear that a new session has begun."""
        self._there.set()
        self._missed()
        self._begin(self._register())

    async def sent(self, interaction: discord.Interaction[Any]) -> None:
        """Hear that a form was sent."""
        if self._interactions is not None:
            await self._interactions.form(interaction)

    async def pressed(self, interaction: discord.Interaction[Any], button: ButtonId) -> None:
        """Hear that a button was pressed."""
        if self._interactions is not None:
            await self._interactions.press(interaction, button)

    def _take(self, message: discord.Message, *, edited: bool) -> None:
        event = self._event(message, edited)
        if event is not None and self._intake is not None:
            self._intake.take(event)

    def _event(self, message: discord.Message, edited: bool) -> IncomingMessage | None:  # noqa: FBT001
        """Return what a message says if it is listened to."""
        if self.client.user is None:
            return None
        event = message_of(message, self._threads, self.client.user, edited=edited)
        if event is None or (self._options.mode is not Mode.PASSIVE and not event.trigger.is_asking):
            return None
        self.attachments.note(message)
        return event

    def _missed(self) -> None:
        """Read again what may have been missed, in place of a reading that is under way."""
        if self._catching is not None:
            self._catching.cancel()
        self._catch_up.is_done = False
        self._catching = self._begin(self._catch_up_until_done())

    async def _catch_up_until_done(self) -> None:
        pause = self._options.timing.retry_s
        while self._inbox is not None:
            try:
                await self._catch_up.read_again(self.client, self._inbox)
            except Exception as error:  # noqa: BLE001 (outermost loop: the gap stays until it is read)
                self._log.warning("not-caught-up", error=repr(error))
                await asyncio.sleep(pause)
                pause = min(pause * 2, self._options.timing.retry_most_s)
            else:
                return

    async def _register(self) -> None:
        """Tell Discord our commands, if they are others than it knows."""
        guild = self._options.command_guild
        where = discord.Object(guild) if guild is not None else None
        if where is not None:
            self._tree.copy_global_to(guild=where)
        commands = [command.to_dict(self._tree) for command in self._tree.get_commands(guild=where)]
        told = json.dumps([str(self.client.application_id), guild, commands], sort_keys=True)
        digest = hashlib.sha256(told.encode()).hexdigest()
        notebook = self._options.notebook
        if notebook is not None and await notebook.read(COMMANDS) == digest:
            return
        try:
            await self._tree.sync(guild=where)
        except TROUBLE as error:
            self._log.warning("commands-not-registered", error=repr(error))
            return
        if notebook is not None:
            await notebook.write(COMMANDS, digest)

    async def _stay_connected(self) -> None:
        """Connect, and connect again whatever breaks. Raises `NotAllowedError`."""
        pause = self._options.timing.retry_s
        while True:
            try:
                await self._connect()
            except (*TROUBLE, AttributeError) as error:
                if isinstance(error, AttributeError) and self.client.ws is not None:
                    raise
                # Before its first connection the library stumbles over having none.
                if refusal := fatal(error):
                    raise refusal from error
                self._log.warning("discord-unreachable", error=repr(error), again_in_s=pause)
            self._there.clear()
            await asyncio.sleep(pause)
            pause = min(pause * 2, self._options.timing.retry_most_s)

    async def _connect(self) -> None:
        if self.client.is_closed():
            self.client.clear()
            self.client.http.connector = discord.utils.MISSING
        if self.client.user is None or self.client.http.connector is discord.utils.MISSING:
            try:
                await self.client.login(self._options.token)
            except BaseException:
                await self.client.http.close()
                self.client.http.connector = discord.utils.MISSING
                raise
        await self.client.connect()

    async def _close(self) -> None:
        """Say goodbye, but not for long."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        with suppress(*NOT_THERE):
            async with asyncio.timeout(self._options.timing.closing_s):
                await self.client.close()
        with suppress(*NOT_THERE):
            await self.client.http.close()

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def create(options: DiscordOptions) -> DiscordPlatform:
    """Return the platform; its client is not started."""
    return DiscordPlatform(options)
