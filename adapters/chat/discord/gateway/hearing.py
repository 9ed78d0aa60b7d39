"""Stays connected and takes in what the client tells. Not for speaking."""

from __future__ import annotations

import asyncio
import hashlib
import json
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import discord
import structlog

from adapters.chat.discord.acknowledging import Acknowledging
from adapters.chat.discord.cdn import Attachments
from adapters.chat.discord.gateway.catching_up import CatchUp
from adapters.chat.discord.gateway.client import make_client
from adapters.chat.discord.gateway.intake import Intake, Known, Texts
from adapters.chat.discord.inbound import Threads, message_of
from adapters.chat.discord.interactions import CardButton, CardChoice, Interactions, tree_of
from adapters.chat.discord.options import NAME, Mode
from adapters.chat.discord.refusals import NOT_THERE, TROUBLE, fatal
from adapters.chat.errors import UnreachableError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Coroutine

    from adapters.chat.discord.ids import ButtonId
    from adapters.chat.discord.options import DiscordOptions
    from adapters.chat.interface import Inbox, IncomingMessage

#: key under which the notebook has the digest of the commands that Discord knows
COMMANDS = "commands"


class Hearing:
    """Hears what the client tells; meets `Ears`."""

    def __init__(self, options: DiscordOptions) -> None:
        self._options = options
        self.client = make_client(options, self)
        self.client.add_dynamic_items(CardButton, CardChoice)
        self.attachments = Attachments(options, self.client)
        self.acknowledging = Acknowledging()
        self.client.tree = tree_of(self.client, options.words, lambda: self._interactions)
        self._threads = Threads()
        self._texts = Texts()
        self._known = Known()
        self._catch_up = CatchUp(options, self.client, self._event, self._known)
        self._intake: Intake | None = None
        self._interactions: Interactions | None = None
        self._there = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_registered = False
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
            raise UnreachableError(NAME, "anything: there is no connection") from error

    async def run(self, inbox: Inbox) -> None:
        """Hear until cancelled, and close everything. Raises `NotAllowedError`."""
        async with self.listening(inbox):
            await self._stay_connected()

    @asynccontextmanager
    async def listening(self, inbox: Inbox) -> AsyncIterator[None]:
        """Take in what the client tells until the block ends; then everything is closed."""
        self._intake = Intake(inbox, self._known, self._catch_up.missed, self._catch_up.note)
        self._interactions = Interactions(
            self._options, inbox, self._threads, self._begin, self.acknowledging
        )
        self._begin(self._intake.run())
        self._begin(self._catch_up.run(inbox))
        try:
            yield
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
        self._catch_up.missed()
        if not self._is_registered:
            self._begin(self._register())

    async def sent(self, interaction: discord.Interaction[Any]) -> None:
        """Hear that a form was sent."""
        if self._interactions is not None:
            self._interactions.form(interaction)

    async def pressed(self, interaction: discord.Interaction[Any], button: ButtonId) -> None:
        """Hear that a button was pressed."""
        if self._interactions is not None:
            self._interactions.press(interaction, button)

    def _take(self, message: discord.Message, *, edited: bool) -> None:
        event = self._event(message, edited=edited)
        if event is not None and self._intake is not None:
            self._intake.take(event)

    def _event(self, message: discord.Message, *, edited: bool) -> IncomingMessage | None:
        """Return what a message says if it is listened to."""
        if self.client.user is None:
            return None
        event = message_of(message, self._threads, self.client.user, edited=edited)
        if event is None or (self._options.mode is not Mode.PASSIVE and not event.trigger.is_asking):
            return None
        self.attachments.note(message)
        return event

    async def _register(self) -> None:
        """Tell Discord our commands, if they are others than it knows."""
        guild = self._options.command_guild
        where = discord.Object(guild) if guild is not None else None
        if where is not None:
            self.client.tree.copy_global_to(guild=where)
        commands = [
            command.to_dict(self.client.tree) for command in self.client.tree.get_commands(guild=where)
        ]
        told = json.dumps([str(self.client.application_id), guild, commands], sort_keys=True)
        digest = hashlib.sha256(told.encode()).hexdigest()
        notebook = self._options.notebook
        if notebook is None or await notebook.read(COMMANDS) != digest:
            try:
                await self.client.tree.sync(guild=where)
            except TROUBLE as error:
                self._log.warning("commands-not-registered", error=repr(error))
                return
            if notebook is not None:
                await notebook.write(COMMANDS, digest)
        self._is_registered = True

    async def _stay_connected(self) -> None:
        """Connect, and connect again whatever breaks. Raises `NotAllowedError`."""
        pause = self._options.timing.retry_s
        while True:
            try:
                await self._connect()
            except (*TROUBLE, AttributeError) as error:
                # Before its first connection the library stumbles over having none.
                if isinstance(error, AttributeError) and self.client.ws is not None:
                    raise
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
        if self.client.http.connector is discord.utils.MISSING:
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

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
