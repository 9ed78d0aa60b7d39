"""Looks that were refused, written down without filling the journal: one entry for a person and a minute, with a count.

A page that somebody may not see asks again every second. Not for refused acts: each of those has an entry of its own.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

import structlog

if TYPE_CHECKING:
    from datetime import datetime

    from bot.audit.entry import Entry
    from bot.audit.interface import Journal
    from bot.clock import Clock

_SPAN: Final = timedelta(minutes=1)
#: people and acts that are counted at a time
_MOST: Final = 1_000


@dataclass
class _Counted:
    """A refusal that stands in the journal, and how often the same was refused since."""

    entry: Entry
    begun: datetime
    more: int = 0


@dataclass
class DeniedViews:
    """Writes refused looks down."""

    journal: Journal
    clock: Clock
    _known: OrderedDict[tuple[str, str], _Counted] = field(default_factory=OrderedDict)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def write(self, entry: Entry) -> None:
        """Write a refusal down, or count it where the same person was refused the same within a minute.

        Raises `StoreError`.
        """
        async with self._turn:
            await self._tell_old(self.clock() - _SPAN)
            key = entry.actor, entry.act
            counted = self._known.get(key)
            if counted is not None:
                counted.more += 1
                return
            await self.journal.write(entry)
            self._known[key] = _Counted(entry, self.clock())
            while len(self._known) > _MOST:
                await self._tell(next(iter(self._known)))

    async def flush(self) -> None:
        """Write down what was counted so far. Raises `StoreError`."""
        async with self._turn:
            await self._tell_old(self.clock())

    async def keep_telling(self) -> None:
        """Write down each minute what was counted in it, until cancelled; then the rest."""
        log = structlog.get_logger(__name__)
        try:
            while True:
                await asyncio.sleep(_SPAN.total_seconds())
                try:
                    async with self._turn:
                        await self._tell_old(self.clock() - _SPAN)
                except Exception as error:  # noqa: BLE001 (outermost loop: the store may come back, the count stays)
                    log.warning("cannot-tell-denied-views", error=repr(error))
        finally:
            try:
                await self.flush()
            except Exception as error:  # noqa: BLE001 (the program ends; each of them has its first entry)
                log.warning("denied-views-not-told", error=repr(error))

    async def _tell_old(self, before: datetime) -> None:
        for key in [key for key, counted in self._known.items() if counted.begun <= before]:
            await self._tell(key)

    async def _tell(self, key: tuple[str, str]) -> None:
        counted = self._known[key]
        if counted.more:
            detail = f"{counted.entry.detail}, {counted.more} more times since {counted.begun:%H:%M:%S} UTC"
            # of which runs is not kept
            summed = replace(counted.entry, at=self.clock(), detail=detail, host="", server="", relaunch="")
            await self.journal.write(replace(summed, plan_hash=""))
        # only what is written down is forgotten
        del self._known[key]
