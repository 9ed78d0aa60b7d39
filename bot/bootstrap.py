"""Wires settings, store, workers, platforms and pages into a running bot. Alone imports concrete adapters."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
import time
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
from aiohttp import web

from adapters.chat.console.platform import ConsolePlatform
from adapters.chat.console.rooms import NAME, Rooms, Surroundings
from adapters.chat.console.routes import RoomsApi
from adapters.chat.console.sending import Limits
from adapters.chat.console.uploads import Uploads
from adapters.chat.interface import UnreachableError
from bot.access.signing_in import SigningIn, os_person
from bot.clock import random_id, system_clock
from bot.intake.inbox import KeptInbox
from bot.intake.work import Work
from bot.listening import Listener, forget_address, listen, read_address, write_address
from bot.sample_team import CHANNELS, YOU, said_before, sample_incident
from bot.settings import ConsoleSettings, FixedSettings, Settings, StoreSettings
from bot.store.answers import SqlAnswers
from bot.store.database import Database, open_database
from bot.store.inbox import SqlInbox
from bot.store.incidents import SqlIncidents
from bot.store.people import SqlPeople
from bot.store.room import SqlRoomLog
from bot.triage.answering import Answering, Desk
from bot.triage.looking.pool import LookingPool, LookingTooLongError, WorkerLostError
from bot.triage.looking.shipped import shipped_engine
from bot.triage.replies import Replies
from bot.web.app import build_app
from bot.web.guard import PERSON, Guard
from bot.web.hosts import KnownHosts
from bot.web.parts import Parts
from bot.web.rate import RateLimit
from bot.web.rulebook import CatalogueRulebook
from rules.engine.cache_folder import CacheFolder, default_cache_folder
from rules.engine.compiled import compiled_catalogue
from rules.engine.rule.catalogue import Catalogue

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from adapters.chat.interface import Person
    from bot.triage.looking.engine import MakeEngine

_MIB = 1 << 20
#: how long a dropped file may wait to be read
_UPLOAD_LIFE = timedelta(days=1)
#: seconds that open requests get when the bot ends
_FAREWELL_S = 1.0


@dataclass(frozen=True, slots=True)
class Stage:
    """What differs between a bot for a team, a demonstration and a test."""

    #: who anybody on this machine is; None: people sign in
    everybody: Person | None = None
    #: a log that the page offers to paste
    sample: str | None = None
    make_engine: MakeEngine = shipped_engine


@dataclass(frozen=True)
class Bot:
    """A bot, wired and not yet running."""

    settings: Settings
    stage: Stage
    database: Database
    listener: Listener
    pool: LookingPool

    @cached_property
    def rooms(self) -> Rooms:
        """Return the rooms of the console."""
        limit = self.settings.triage.file_limit_mib * _MIB
        uploads = Uploads(NAME, self.settings.state_dir / "uploads", limit, random_id)
        uploads.sweep((system_clock() - _UPLOAD_LIFE).timestamp())
        log = SqlRoomLog(self.database)
        return Rooms(Surroundings(log, uploads, system_clock, random_id, self._mask))

    @cached_property
    def console(self) -> ConsolePlatform:
        """Return the console as a chat platform."""
        return ConsolePlatform(self.rooms)

    @cached_property
    def inbox(self) -> KeptInbox:
        """Return the inbox that the platforms deliver to."""
        return KeptInbox(SqlInbox(self.database), self._mask, system_clock, random_id)

    def work(self) -> Work:
        """Return what answers the inbox."""
        answers, incidents = SqlAnswers(self.database), SqlIncidents(self.database)
        platforms = {NAME: self.console}
        desk = Desk(
            platforms=platforms,
            inbox=SqlInbox(self.database),
            incidents=incidents,
            answers=answers,
            replies=Replies(platforms, answers, incidents, system_clock, random_id),
            looker=self.pool,
            new_id=random_id,
            file_limit_bytes=self.settings.triage.file_limit_mib * _MIB,
            allowed_bots=frozenset(self.settings.triage.allowed_bots),
        )
        return Work(SqlInbox(self.database), Answering(desk), self.inbox.arrived)

    def app(self) -> web.Application:
        """Return the HTTP app."""
        api = RoomsApi(self.rooms, self.settings.console.channels, lambda request: request[PERSON], Limits())
        return build_app(self._parts(), self._guard(), api.routes())

    async def faults(self) -> list[str]:
        """Return what keeps the bot from answering right now; meets `Readiness`."""
        faults = [] if await self.database.is_reachable() else ["the store does not answer"]
        if not self.pool.is_ready:
            faults.append("the workers are starting")
        if self.rooms.inbox is None:
            faults.append("the console is not connected")
        return faults

    async def _mask(self, text: str) -> tuple[str, int]:
        try:
            return await self.pool.mask(text)
        except (LookingTooLongError, WorkerLostError) as error:
            raise UnreachableError(NAME, f"a message, which must be masked first: {error}") from error

    def _guard(self) -> Guard:
        console = self.settings.console
        known = KnownHosts(self.listener.port, console.is_loopback, console.public_url, console.trusted_hosts)
        life = timedelta(hours=console.session_hours)
        return Guard(
            hosts=known,
            signing_in=SigningIn(SqlPeople(self.database), system_clock, life),
            rate=RateLimit(console.messages_per_minute, time.monotonic),
            cookie=f"vllm_diagnose_{self.listener.port}",
            is_secure=(console.public_url or "").startswith("https://"),
            everybody=self.stage.everybody,
        )

    def _parts(self) -> Parts:
        folder = default_cache_folder(os.environ)
        compiled = compiled_catalogue(CacheFolder(folder) if folder else None)
        limits = Limits()
        return Parts(
            incidents=SqlIncidents(self.database),
            answers=SqlAnswers(self.database),
            rulebook=CatalogueRulebook(Catalogue.from_plain(compiled.plain)),
            readiness=self,
            channels=self.settings.console.channels,
            text_limit_bytes=limits.text_bytes,
            file_limit_bytes=self.settings.triage.file_limit_mib * _MIB,
            files_limit=limits.files,
            sample=self.stage.sample,
            needs_sign_in=self.stage.everybody is None,
        )


@asynccontextmanager
async def running(settings: Settings, stage: Stage) -> AsyncIterator[Bot]:
    """Run a bot until the block ends; then everything it started is gone, workers included.

    Raises `StoreError`, `CannotListenError`, `CatalogueError`.
    """
    async with AsyncExitStack() as stack:
        settings.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        listener = listen(settings.console)
        stack.callback(listener.socket.close)
        database = await open_database(settings.store_url)
        stack.push_async_callback(database.close)
        pool = LookingPool(stage.make_engine, settings.triage.workers, settings.triage.timeout_s)
        stack.callback(pool.close)
        bot = Bot(settings, stage, database, listener, pool)
        for work in (_warm_up(pool), bot.work().run(), bot.console.run(bot.inbox)):
            stack.push_async_callback(_end, asyncio.create_task(work))
        runner = web.AppRunner(bot.app(), access_log=None, shutdown_timeout=_FAREWELL_S)
        await runner.setup()
        stack.push_async_callback(runner.cleanup)
        await web.SockSite(runner, listener.socket).start()
        write_address(settings.state_dir, listener.url)
        stack.callback(forget_address, settings.state_dir)
        # Whoever follows a room is let go first, or the server would wait for them.
        stack.callback(bot.rooms.close)
        yield bot


async def serve(settings: Settings, on_ready: Callable[[str], None]) -> None:
    """Run the bot until SIGTERM or SIGINT; `on_ready` gets the address of the page.

    Raises `StoreError`, `CannotListenError`, `CatalogueError`.
    """
    everybody = os_person() if settings.console.is_loopback else None
    await _until_told(settings, Stage(everybody), on_ready)


async def demo(on_ready: Callable[[str], None], host: str = "127.0.0.1", port: int = 0) -> None:
    """Run a bot with a sample team and a store that is thrown away, until SIGTERM or SIGINT.

    Raises `CannotListenError`.
    """
    with tempfile.TemporaryDirectory(prefix="vllm-diagnose-demo-") as folder:
        settings = FixedSettings(
            state_dir=Path(folder),
            console=ConsoleSettings(host=host, port=port, channels=CHANNELS),
            store=StoreSettings(url=f"sqlite+aiosqlite:///{folder}/store.db"),
        )
        await _until_told(settings, Stage(YOU, sample_incident()), on_ready)


async def login(settings: Settings) -> str:
    """Return a one-time link that signs the person at this terminal in.

    Raises `NotServingError` when no bot is running, `StoreError`.
    """
    url = read_address(settings.state_dir)
    database = await open_database(settings.store_url)
    try:
        life = timedelta(hours=settings.console.session_hours)
        signing_in = SigningIn(SqlPeople(database), system_clock, life)
        return f"{url}/login?token={await signing_in.make_link_token(os_person())}"
    finally:
        await database.close()


async def _until_told(settings: Settings, stage: Stage, on_ready: Callable[[str], None]) -> None:
    # What a person is to read goes to stdout; the log does not mix with it.
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told.set)
    async with running(settings, stage) as bot:
        if stage.sample is not None:
            for channel, message_id, payload in said_before(system_clock()):
                await bot.rooms.append(channel, "message", message_id, payload)
        on_ready(bot.listener.url)
        await told.wait()


async def _warm_up(pool: LookingPool) -> None:
    """Start the workers; one that cannot has said why on stderr, and `/readyz` keeps saying so."""
    try:
        await pool.start()
    except (LookingTooLongError, WorkerLostError) as error:
        structlog.get_logger(__name__).error("workers-cannot-start", error=str(error))


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
