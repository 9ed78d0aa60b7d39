"""Takes kept events one after the other and has them answered. Not for what an answer says."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import structlog

from adapters.chat.interface import ChatError, RateLimitedError
from bot.store.interface import InboxState

if TYPE_CHECKING:
    from typing import Protocol

    from adapters.chat.interface import Place
    from bot.store.interface import InboxEntry, InboxStore

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


class Work:
    """Works off the inbox until it is cancelled."""

    def __init__(self, inbox: InboxStore, handler: Handler, arrived: asyncio.Event) -> None:
        self._inbox = inbox
        self._handler = handler
        self._arrived = arrived
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._busy: set[Place] = set()
        self._resting: set[str] = set()
        self._log = structlog.get_logger(__name__)

    async def run(self) -> None:
        """Work until cancelled; what is not done then stays in the inbox for the next start."""
        try:
            while True:
                self._arrived.clear()
                await self._begin()
                await self._arrived.wait()
        finally:
            tasks = list(self._tasks.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _begin(self) -> None:
        """Start what can be started: never two events of one thread at once, and older ones first."""
        waiting = await self._inbox.waiting(_AT_ONCE * 4)
        passed: set[Place] = set()
        for entry in waiting:
            blocked = entry.place in self._busy or entry.place in passed
            passed.add(entry.place)
            if blocked or entry.id in self._resting or len(self._tasks) >= _AT_ONCE:
                continue
            self._busy.add(entry.place)
            self._tasks[entry.id] = asyncio.create_task(self._do(entry))

    async def _do(self, entry: InboxEntry) -> None:
        try:
            await self._try(entry)
        finally:
            self._busy.discard(entry.place)
            self._tasks.pop(entry.id, None)
            self._arrived.set()

    async def _try(self, entry: InboxEntry) -> None:
        tries = await self._inbox.tried(entry.id)
        try:
            await self._handler.handle(entry)
        except Exception as error:  # noqa: BLE001 (outermost loop: one event must not stop the others)
            await self._failed(entry, error, tries)
        else:
            await self._inbox.settle(entry.id, InboxState.DONE)

    async def _failed(self, entry: InboxEntry, error: Exception, tries: int) -> None:
        self._log.warning("event-failed", entry=entry.id, tries=tries, error=repr(error))
        if tries < _MOST_TRIES:
            pause = error.retry_after_s if isinstance(error, RateLimitedError) else _PAUSE_S * tries
            self._resting.add(entry.id)
            asyncio.get_running_loop().call_later(pause, self._wake, entry.id)
            return
        try:
            await self._handler.give_up(entry, error)
        except ChatError as second:
            self._log.warning("giving-up-failed", entry=entry.id, error=str(second))
        await self._inbox.settle(entry.id, InboxState.FAILED)

    def _wake(self, entry_id: str) -> None:
        self._resting.discard(entry_id)
        self._arrived.set()
