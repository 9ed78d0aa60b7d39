"""A host that is asked until it answers: a lost answer is asked for again with the same key.

Not for what a host refuses, nor for one that stays out of order: those are answers.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

from adapters.hosts.errors import BrokenHostError, HostError, RefusalCode, RefusedError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from datetime import datetime

    from adapters.hosts.interface import Host
    from adapters.hosts.records import (
        LaunchChange,
        Order,
        Preflight,
        ProbeAnswer,
        ProbeKind,
        Snapshot,
        Started,
        Stopped,
    )
    from adapters.hosts.records import ServerStatus as Status
    from bot.relaunch.interface import Tools
    from bot.relaunch.running.record import Record

Answer = TypeVar("Answer")


class PatientHost:
    """The host of one run. `heed` is called between two tries and raises to give up."""

    def __init__(self, host: Host, record: Record, tools: Tools, heed: Callable[[], Awaitable[None]]) -> None:
        self._host = host
        self._record = record
        self._tools = tools
        self._heed = heed
        #: the host answered this course: what an earlier process said of it is put right then
        self._is_heard = False

    async def snapshot(self, server: str) -> Snapshot:
        """Return how a server is registered and runs."""
        return await self._ask(lambda: self._host.snapshot(server))

    async def preflight(self, order: Order, change: LaunchChange) -> Preflight:
        """Return whether a change could be made."""
        return await self._ask(lambda: self._host.preflight(order, change))

    async def stop(self, order: Order, grace_seconds: float, restore_after_seconds: float) -> Stopped:
        """Stop a server with all it started."""
        return await self._ask(lambda: self._host.stop(order, grace_seconds, restore_after_seconds))

    async def start(
        self, order: Order, change: LaunchChange, spec_hash: str, restore_after_seconds: float
    ) -> Started:
        """Start a stopped server with a change."""
        return await self._ask(lambda: self._host.start(order, change, spec_hash, restore_after_seconds))

    async def status(self, server: str, log_offset: int, log_limit: int) -> Status:
        """Return a server's state and the next piece of its log."""
        return await self._ask(lambda: self._host.status(server, log_offset, log_limit))

    async def probe(
        self, server: str, kinds: Sequence[ProbeKind], model: str, timeout_seconds: float
    ) -> tuple[ProbeAnswer, ...]:
        """Ask the running server each question over its own port."""
        return await self._ask(lambda: self._host.probe(server, kinds, model, timeout_seconds))

    async def commit(self, order: Order) -> Snapshot:
        """Keep the launch that runs now."""
        return await self._ask(lambda: self._host.commit(order))

    async def restore(self, order: Order, restore_after_seconds: float) -> Started:
        """Go back to the launch from before this run."""
        return await self._ask(lambda: self._host.restore(order, restore_after_seconds))

    async def _ask(self, call: Callable[[], Awaitable[Answer]]) -> Answer:
        pace, tries = self._tools.pace, 0
        patience_ends = self._tools.clock() + timedelta(seconds=pace.busy)
        broken_since: datetime | None = None
        while True:
            try:
                answer = await call()
            except RefusedError as refusal:
                await self._record.find_host()
                # the host may still be at what it was asked before the answer was lost
                if refusal.code is not RefusalCode.BUSY or self._tools.clock() >= patience_ends:
                    raise
            except BrokenHostError as error:
                now = self._tools.clock()
                broken_since = broken_since or now
                if now - broken_since >= timedelta(seconds=pace.broken):
                    raise
                await self._record.lose_host(f"The host is out of order ({error.what}). It is asked again.")
            except HostError as error:
                broken_since = None
                await self._record.lose_host(f"The host does not answer ({error.what}). It is asked again.")
            else:
                if tries or not self._is_heard:
                    await self._record.find_host()
                self._is_heard = True
                return answer
            await self._heed()
            await self._tools.pause(min(pace.retry * 2**tries, pace.longest_retry))
            tries = min(tries + 1, 10)
