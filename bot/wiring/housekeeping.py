"""What a running bot does beside answering: removing what is old, looking for what other processes wrote.

Not for answering.
"""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import structlog

from bot.store.room import SqlRoomLog
from bot.store.upkeep.retention import SqlRetention

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.clock import Clock
    from bot.store.database import Database

_DAY_S = 24 * 3600.0
_LOOK_S = 1.0


async def purge_daily(database: Database, keep_days: int, clock: Clock) -> None:
    """Remove what is older than `keep_days` at once and then every day; 0 keeps everything."""
    log = structlog.get_logger(__name__)
    while keep_days:
        try:
            purged = await SqlRetention(database).purge(clock() - timedelta(days=keep_days))
            log.info("purged", incidents=purged.incidents, events=purged.events)
        except Exception as error:  # noqa: BLE001 (outermost loop: tomorrow is another day)
            log.warning("cannot-purge", error=repr(error))
        await asyncio.sleep(_DAY_S)


async def follow_rooms(database: Database, wake: Callable[[], None]) -> None:
    """Wake those who follow the console's chat when another process wrote something."""
    log, seen = SqlRoomLog(database), 0
    while True:
        try:
            last = await log.last_sequence()
        except Exception as error:  # noqa: BLE001 (outermost loop: the store may come back)
            structlog.get_logger(__name__).warning("cannot-follow-rooms", error=repr(error))
        else:
            if last != seen:
                seen = last
                wake()
        await asyncio.sleep(_LOOK_S)
