"""What a bot does about runs as long as it lives: wait to be the leader, then feed the engine. Not the runs."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

import structlog

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.relaunch.durable.engine import DurableEngine
    from bot.relaunch.durable.leader import Leadership
    from bot.relaunch.durable.outbox import Feeder

_LOOK_S: Final = 1.0
_PAUSE_S: Final = 5.0


class RelaunchService:
    """Runs until it is cancelled."""

    def __init__(
        self,
        leadership: Leadership,
        make_engine: Callable[[], DurableEngine],
        feeder: Feeder,
        look_s: float = _LOOK_S,
    ) -> None:
        self._leadership = leadership
        self._make_engine = make_engine
        self._feeder = feeder
        self._look_s = look_s
        self._woken = asyncio.Event()
        self._leads = False

    @property
    def leads(self) -> bool:
        """Tell whether this process carries out runs."""
        return self._leads

    def wake(self) -> None:
        """Look at the outbox now; other processes notice within a second."""
        self._woken.set()

    async def run(self) -> None:
        """Lead whenever nobody else does."""
        log = structlog.get_logger(__name__)
        while True:
            try:
                async with self._leadership.held() as lost:
                    log.info("leads-relaunches")
                    await self._lead(lost)
                    log.warning("lost-lead-of-relaunches")
            except Exception as error:  # noqa: BLE001 (outermost loop: store and engine may come back)
                log.warning("cannot-lead-relaunches", error=repr(error))
            await asyncio.sleep(_PAUSE_S)

    async def _lead(self, lost: asyncio.Event) -> None:
        engine = self._make_engine()
        try:
            await engine.open()
            self._leads = True
            await self._feeder.reconcile(engine)
            while not lost.is_set():
                self._woken.clear()
                await self._feeder.feed(engine)
                await self._wait(lost)
        finally:
            self._leads = False
            await engine.close()

    async def _wait(self, lost: asyncio.Event) -> None:
        """Wait for a letter, the loss of the lead, or a moment."""
        waits = [asyncio.ensure_future(event.wait()) for event in (self._woken, lost)]
        try:
            await asyncio.wait(waits, timeout=self._look_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
