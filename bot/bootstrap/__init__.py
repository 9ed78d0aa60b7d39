"""Wires settings, store, workers, platforms and pages into a running bot. Alone imports concrete adapters."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

import structlog
from aiohttp import web

from adapters.chat.console.platform import ConsolePlatform
from adapters.chat.console.rooms import NAME, Rooms, Surroundings
from adapters.chat.console.routes import RoomsApi
from adapters.chat.console.sending import Limits
from adapters.chat.console.uploads import Uploads
from bot.access.signing_in import os_person
from bot.bootstrap import sample_host
from bot.bootstrap.acting import acting_of
from bot.bootstrap.hosts import open_host
from bot.bootstrap.platforms import discord_options, examine, manifest, slack_options
from bot.clock import random_id, system_clock
from bot.ending import told_to_end
from bot.intake.connections import Connection
from bot.intake.threshold import Admission
from bot.listening import forget_address, listen, read_address, write_address
from bot.sample_team import CHANNELS, YOU, said_before, sample_incident
from bot.settings import (
    ConsoleSettings,
    DiscordSettings,
    FixedSettings,
    RelaunchSettings,
    Settings,
    SlackSettings,
    StoreSettings,
)
from bot.store.database import Database, open_database
from bot.store.room import SqlRoomLog
from bot.telemetry.log_lines import LogLines
from bot.triage.looking.pool import LookingPool, LookingTooLongError, WorkerLostError
from bot.web.guard import PERSON
from bot.wiring.bot import Bot, mask_soon
from bot.wiring.housekeeping import follow_rooms, purge_daily
from bot.wiring.lasting import begin, only_log
from bot.wiring.pages import signing_in_of
from bot.wiring.stage import Stage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from typing import TextIO

    from adapters.chat.slack.platform import SlackPlatform
    from bot.wiring.lasting import Missed

__all__ = ["Stage", "demo", "examine", "login", "manifest", "open_host", "running", "serve"]

_MIB = 1 << 20
#: how long a dropped file may wait to be read
_UPLOAD_LIFE = timedelta(days=1)
#: seconds that open requests get when the bot ends
_FAREWELL_S = 1.0
#: seconds that platforms and unfinished answers get when the bot ends
_GOODBYE_S = 8.0


@dataclass(frozen=True)
class Chats:
    """The console and the platforms that are configured; meets `bot.wiring.bot.Chats`."""

    settings: Settings
    database: Database
    limits: Limits

    @cached_property
    def rooms(self) -> Rooms:
        """Return the rooms of the console."""
        limit = self.settings.triage.file_limit_mib * _MIB
        uploads = Uploads(NAME, self.settings.state_dir / "uploads", limit, random_id)
        uploads.sweep((system_clock() - _UPLOAD_LIFE).timestamp())
        log = SqlRoomLog(self.database)
        return Rooms(Surroundings(log, uploads, system_clock, random_id, mask_soon))

    @cached_property
    def _slack(self) -> SlackPlatform | None:
        if not self.settings.slack.is_configured:
            return None
        from adapters.chat.slack.platform import create  # noqa: PLC0415 (as above)

        return create(slack_options(self.settings), system_clock)

    def connections(self) -> Sequence[Connection]:
        """Return each platform with what is looked at there."""
        bots = frozenset(self.settings.triage.allowed_bots)
        console = ConsolePlatform(self.rooms)
        found = [
            Connection(console, Admission(allowed_bots=bots), lambda: self.rooms.inbox is not None),
        ]
        slack = self._slack
        if slack is not None:
            admission = self._admission(self.settings.slack)
            found.append(Connection(slack, admission, lambda: slack.is_connected))
        if self.settings.discord.is_configured:
            from adapters.chat.discord.platform import create  # noqa: PLC0415 (as above)

            discord = create(discord_options(self.settings, self.database))
            admission = self._admission(self.settings.discord)
            found.append(Connection(discord, admission, lambda: discord.is_connected))
        return found

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of the console's rooms."""
        channels = self.settings.console.channels
        return RoomsApi(self.rooms, channels, lambda request: request[PERSON], self.limits).routes()

    def hooks(self) -> Sequence[web.RouteDef]:
        """Return the routes that Slack's signed requests come to."""
        return self._slack.routes() if self._slack is not None else ()

    def _admission(self, chosen: SlackSettings | DiscordSettings) -> Admission:
        bots = frozenset((*self.settings.triage.allowed_bots, *chosen.allowed_bots))
        return Admission(chosen.mode.hears_channels, frozenset(chosen.channels), bots)


@asynccontextmanager
async def running(settings: Settings, stage: Stage, missed: Missed = only_log) -> AsyncIterator[Bot]:
    """Run a bot until the block ends; then everything it started is gone, workers included.

    `missed` hears of work that broke although nobody ended it. Raises `StoreError`, `CannotListenError`,
    `CatalogueError`.
    """
    async with AsyncExitStack() as stack:
        settings.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        listener = listen(settings.console)
        stack.callback(listener.socket.close)
        database = await open_database(settings.store_url)
        stack.push_async_callback(database.close)
        pool = LookingPool(stage.make_engine, settings.triage.workers, settings.triage.timeout_s)
        stack.callback(pool.close)
        chats = Chats(settings, database, Limits())
        acting = acting_of(settings, database, pool, ConsolePlatform(chats.rooms).capabilities)
        if acting is not None:
            stack.push_async_callback(acting.hosts.close)
        bot = Bot(settings, stage, database, listener, pool, chats, acting)
        work = (
            _warm_up(pool),
            purge_daily(database, settings.store.keep_days, system_clock),
            follow_rooms(database, chats.rooms.watchers.wake),
            bot.work().run(),
            bot.connections.run(),
            *bot.acts(),
        )
        stack.push_async_callback(_end, begin(work, missed))
        app = bot.app(chats.limits.text_bytes, chats.limits.files)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=_FAREWELL_S)
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        await web.SockSite(runner, listener.socket).start()
        write_address(settings.state_dir, listener.url)
        stack.callback(forget_address, settings.state_dir)
        # Whoever follows a room is let go first, or the server would wait for them.
        stack.callback(chats.rooms.close)
        yield bot


async def serve(settings: Settings, on_ready: Callable[[str], None]) -> None:
    """Run the bot until it is told to end; `on_ready` gets the address of the page.

    Raises `StoreError`, `CannotListenError`, `CatalogueError`.
    """
    # Everybody on this machine reaches a loopback address: whoever can act on hosts has to sign in all the same.
    is_harmless = settings.console.is_loopback and settings.relaunch.registry is None
    everybody = os_person() if is_harmless else None
    await _until_told(settings, Stage(everybody), on_ready)


async def demo(on_ready: Callable[[str], None], host: str = "127.0.0.1", port: int = 0) -> None:
    """Run a bot with a sample team and a store that is thrown away, until it is told to end.

    Raises `CannotListenError`.
    """
    with tempfile.TemporaryDirectory(prefix="vllm-diagnose-demo-") as folder:
        with_host = sample_host.can_have_one()
        settings = FixedSettings(
            state_dir=Path(folder),
            console=ConsoleSettings(host=host, port=port, channels=CHANNELS),
            store=StoreSettings(url=f"sqlite+aiosqlite:///{folder}/store.db"),
            relaunch=sample_host.write_sample(Path(folder), YOU, CHANNELS[0])
            if with_host
            else RelaunchSettings(),
        )
        try:
            await _until_told(settings, Stage(YOU, sample_incident()), on_ready)
        finally:
            if with_host:
                sample_host.end_it(Path(folder))


async def login(settings: Settings) -> str:
    """Return a one-time link that signs the person at this terminal in.

    Raises `NotServingError` when no bot is running, `StoreError`.
    """
    url = read_address(settings.state_dir)
    database = await open_database(settings.store_url)
    try:
        signing_in = signing_in_of(settings.console, database)
        return f"{url}/login?token={await signing_in.make_link_token(os_person())}"
    finally:
        await database.close()


async def _until_told(settings: Settings, stage: Stage, on_ready: Callable[[str], None]) -> None:
    # What a person is to read goes to stdout; the log does not mix with it.
    structlog.configure(logger_factory=lambda *_: structlog.PrintLogger(cast("TextIO", LogLines(sys.stderr))))
    told = told_to_end()
    broken: list[BaseException] = []

    def missed(error: BaseException) -> None:
        # A bot of which a part is dead looks alive; one that ends is started again by whoever runs it.
        broken.append(error)
        told.set()

    async with running(settings, stage, missed) as bot:
        if stage.sample is not None:
            for channel, message_id, payload in said_before(system_clock()):
                await SqlRoomLog(bot.database).append(channel, "message", message_id, payload)
            if settings.relaunch.registry is not None:
                # here, where being told to end is heard: what it starts is ended then
                await sample_host.let_it_fail(settings.relaunch)
        on_ready(bot.listener.url)
        await told.wait()
    if broken:
        raise broken[0]


async def _warm_up(pool: LookingPool) -> None:
    """Start the workers; one that cannot has said why on stderr, and `/readyz` keeps saying so."""
    try:
        await pool.start()
    except (LookingTooLongError, WorkerLostError) as error:
        structlog.get_logger(__name__).error("workers-cannot-start", error=str(error))


async def _end(tasks: Sequence[asyncio.Task[None]]) -> None:
    """End what runs; a library that does not let go in time is left behind."""
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks, timeout=_GOODBYE_S)
