"""Takes kept events one after the other and has them answered. Not for what an answer says."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog

from adapters.chat.interface import ChatError, RateLimitedError, UnreachableError
from bot.store.interface import Claim, InboxState
from bot.triage.looking.pool import WorkerLostError

if TYPE_CHECKING:
    from datetime import datetime
    from typing import Protocol

    from bot.clock import Clock
    from bot.intake.presence import Presence
    from bot.store.interface import ClaimStore, InboxEntry, InboxStore
    from bot.telemetry.figures import Figures

    class Handler(Protocol):
        """Whoever does what an event asks for."""

        async def handle(self, entry: InboxEntry) -> None:
            """Do it; doing it again changes nothing."""

        async def give_up(self, entry: InboxEntry, error: Exception) -> None:
            """Say that it did not work."""


#: events that are worked on at once, one per thread
_AT_ONCE = 16
_MOST_TRIES = 3
#: seconds before another try, per try that failed
_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 30.0
#: how long an event is tried again while its platform cannot be reached
_PATIENCE = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Shift:
    """Who works, and for how long a claim holds without being renewed."""

    presence: Presence
    clock: Clock
    platforms: tuple[str, ...]
    figures: Figures
    life: timedelta = timedelta(seconds=30)
    #: seconds between two looks at the claims of this process and of those that are gone
    beat_s: float = 5.0

    @property
    def owner(self) -> str:
        """Return the id under which this process claims."""
        return self.presence.owner

    def until(self) -> datetime:
        """Return when a claim made now runs out."""
        return self.clock() + self.life


class Work:
    """Works off the inbox until it is cancelled."""

    def __init__(
        self, inbox: InboxStore, claims: ClaimStore, handler: Handler, arrived: asyncio.Event, shift: Shift
    ) -> None:
        self._inbox = inbox
        self._claims = claims
        self._handler = handler
        self._arrived = arrived
        self._shift = shift
        self._renewed_at = shift.clock()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        #: events at which a worker was lost: they go one after the other, so that one takes no other along
        self._suspects: set[str] = set()
        self._alone = asyncio.Lock()
        self._log = structlog.get_logger(__name__)

    async def run(self) -> None:
        """Work until cancelled; what is not done then stays in the inbox for the next start."""
        with self._shift.presence.held():
            beat = asyncio.create_task(self._beat())
            try:
                while True:
                    self._arrived.clear()
                    await self._begin()
                    await self._arrived.wait()
            finally:
                tasks = [beat, *self._tasks.values()]
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                await self._leave()

    async def _leave(self) -> None:
        """Give back what is claimed; where that fails, the next process sees that this one is gone."""
        try:
            await self._claims.forget(self._shift.owner)
        except Exception as error:  # noqa: BLE001 (outermost loop: nothing is lost by it)
            self._log.warning("cannot-give-back", error=repr(error))
        else:
            self._shift.presence.forget(self._shift.owner)

    async def _begin(self) -> None:
        """Start what can be started: never two events of one thread at once, and older ones first."""
        free = _AT_ONCE - len(self._tasks)
        if free <= 0:
            return
        shift = self._shift
        claim = Claim(shift.owner, shift.clock(), shift.until(), shift.platforms)
        try:
            entries = await self._claims.claim(claim, free)
        except Exception as error:  # noqa: BLE001 (outermost loop: a store that comes back is used again)
            self._log.warning("cannot-claim", error=repr(error))
            self._look_again_in(_PAUSE_S)
            return
        for entry in entries:
            self._tasks[entry.id] = asyncio.create_task(self._do(entry))

    async def _beat(self) -> None:
        """Keep our claims, take over those of processes that are gone, look for what others left."""
        while True:
            try:
                await self._look_round()
            except Exception as error:  # noqa: BLE001 (outermost loop: a store that comes back is used again)
                self._log.warning("cannot-renew", error=repr(error))
            if self._renewed_at + self._shift.life < self._shift.clock():
                self._drop(*self._tasks)
            self._arrived.set()
            await asyncio.sleep(self._shift.beat_s)

    async def _look_round(self) -> None:
        shift = self._shift
        working = list(self._tasks)
        now = shift.clock()
        held = await self._claims.renew(shift.owner, working, shift.until()) if working else set()
        self._renewed_at = now
        self._drop(*(set(working) - held))
        for owner in await asyncio.to_thread(shift.presence.gone):
            await self._claims.forget(owner)
            shift.presence.forget(owner)

    def _drop(self, *entry_ids: str) -> None:
        """Stop working on what may be somebody else's by now."""
        for entry_id in entry_ids:
            task = self._tasks.get(entry_id)
            if task is not None:
                self._log.warning("claim-lost", entry=entry_id)
                task.cancel()

    async def _do(self, entry: InboxEntry) -> None:
        try:
            async with self._alone if entry.id in self._suspects else nullcontext():
                await self._try(entry)
        except Exception as error:  # noqa: BLE001 (outermost loop: its claim runs out, and then it is tried again)
            self._log.warning("event-left", entry=entry.id, error=repr(error))
        finally:
            self._tasks.pop(entry.id, None)
            self._arrived.set()

    async def _try(self, entry: InboxEntry) -> None:
        tries = await self._inbox.tried(entry.id)
        try:
            await self._handler.handle(entry)
        except Exception as error:  # noqa: BLE001 (outermost loop: one event must not stop the others)
            await self._failed(entry, error, tries)
        else:
            self._suspects.discard(entry.id)
            await self._inbox.settle(entry.id, InboxState.DONE)

    async def _failed(self, entry: InboxEntry, error: Exception, tries: int) -> None:
        self._shift.figures.failed(entry.place.platform, error)
        self._log.warning("event-failed", entry=entry.id, tries=tries, error=repr(error))
        if isinstance(error, WorkerLostError):
            self._suspects.add(entry.id)
        now = self._shift.clock()
        is_passing = isinstance(error, RateLimitedError | UnreachableError)
        if tries < _MOST_TRIES or (is_passing and now - entry.received_at < _PATIENCE):
            pause = min(_PAUSE_S * tries, _LONGEST_PAUSE_S)
            if isinstance(error, RateLimitedError):
                pause = error.retry_after_s
            await self._claims.release(self._shift.owner, entry.id, now + timedelta(seconds=pause))
            self._look_again_in(pause)
            return
        try:
            await self._handler.give_up(entry, error)
        except ChatError as second:
            self._log.warning("giving-up-failed", entry=entry.id, error=str(second))
        self._suspects.discard(entry.id)
        await self._inbox.settle(entry.id, InboxState.FAILED)

    def _look_again_in(self, seconds: float) -> None:
        asyncio.get_running_loop().call_later(seconds, self._arrived.set)
