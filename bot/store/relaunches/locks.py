"""Locks of hosts in a database, with a fence that only grows. Not for letting go: the end of a run does that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from bot.store.relaunches.runs import locked
from bot.store.tables import host_locks, relaunches

if TYPE_CHECKING:
    from bot.store.database import Database


class SqlLocks:
    """Which run holds which host; meets `LockStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def take(self, host: str, relaunch_id: str, above: int = 0) -> int | None:
        """Return the fence of a run on its host, greater than `above`; None when another run holds the host."""
        await self._make_row(host)
        async with self._database.writing(lasting=True) as connection:
            run = await locked(connection, relaunch_id)
            query = select(host_locks).where(host_locks.c.host == host).with_for_update()
            row = (await connection.execute(query)).one()
            if run.ended_at is not None or row.relaunch_id not in (None, relaunch_id):
                return None
            if row.relaunch_id == relaunch_id and run.fence == row.fence and row.fence > above:
                return int(row.fence)
            fence = max(int(row.fence), above) + 1
            change = update(host_locks).where(host_locks.c.host == host)
            await connection.execute(change.values(relaunch_id=relaunch_id, fence=fence))
            mine = update(relaunches).where(relaunches.c.id == relaunch_id)
            await connection.execute(mine.values(fence=fence))
        return fence

    async def hold(self, name: str, relaunch_id: str) -> bool:
        """Hold something beside the host until the run ends; False when another run holds it."""
        await self._make_row(name)
        async with self._database.writing(lasting=True) as connection:
            run = await locked(connection, relaunch_id)
            query = select(host_locks).where(host_locks.c.host == name).with_for_update()
            row = (await connection.execute(query)).one()
            if run.ended_at is not None or row.relaunch_id not in (None, relaunch_id):
                return False
            change = update(host_locks).where(host_locks.c.host == name)
            await connection.execute(change.values(relaunch_id=relaunch_id))
        return True

    async def holder(self, host: str) -> str | None:
        """Return the run that holds a host, or what is held beside it."""
        query = select(host_locks.c.relaunch_id).where(host_locks.c.host == host)
        async with self._database.reading() as connection:
            found = (await connection.execute(query)).scalar_one_or_none()
        return None if found is None else str(found)

    async def fence(self, host: str) -> int:
        """Return the number of the newest run on a host; 0 when there was none."""
        query = select(host_locks.c.fence).where(host_locks.c.host == host)
        async with self._database.reading() as connection:
            return int((await connection.execute(query)).scalar_one_or_none() or 0)

    async def _make_row(self, host: str) -> None:
        query = select(host_locks.c.host).where(host_locks.c.host == host)
        async with self._database.reading() as connection:
            if (await connection.execute(query)).first() is not None:
                return
        try:
            async with self._database.writing(lasting=True) as connection:
                await connection.execute(insert(host_locks), {"host": host, "fence": 0})
        except IntegrityError:
            # another process made it in between
            return
