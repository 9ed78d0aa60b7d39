"""Runs and their timelines in a database. Not for approvals, locks or the outbox."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, insert, or_, select, update

from bot.relaunch.states import TERMINAL, State, may_move
from bot.store.relaunches.interface import Move, MoveRefusedError, UnknownRelaunchError
from bot.store.relaunches.rows import moment_from, moment_values, open_key, relaunch_of, relaunch_values
from bot.store.tables import host_locks, relaunch_events, relaunches, to_millis

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from sqlalchemy import Select
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.audit.entry import Entry
    from bot.audit.interface import Journal
    from bot.store.database import Database
    from bot.store.relaunches.interface import Moment, Planned, Relaunch


class SqlRelaunches:
    """Runs; meets `RelaunchStore`."""

    def __init__(self, database: Database, journal: Journal) -> None:
        self._database = database
        self._journal = journal

    async def add(self, relaunch: Relaunch, entries: Sequence[Entry] = ()) -> Relaunch:
        """Keep a new run; when its server has an open one, that one comes back and nothing is kept."""
        mine = select(relaunches).where(
            or_(relaunches.c.open_key == open_key(relaunch), relaunches.c.id == relaunch.id)
        )
        async with self._database.writing(lasting=True) as connection:
            if self._database.dialect == "postgresql":
                # two requests at once must not both find nothing
                await connection.exec_driver_sql("LOCK TABLE relaunches IN SHARE ROW EXCLUSIVE MODE")
            known = (await connection.execute(mine.limit(1))).one_or_none()
            if known is not None:
                return relaunch_of(known)
            await connection.execute(insert(relaunches), relaunch_values(relaunch))
            await add_event(connection, relaunch.id, relaunch.state, relaunch.asked_at, relaunch.detail)
            await self._write(entries, connection)
        return relaunch

    async def get(self, relaunch_id: str) -> Relaunch:
        """Return one run. Raises `UnknownRelaunchError`."""
        async with self._database.reading() as connection:
            row = (await connection.execute(_one(relaunch_id))).one_or_none()
        if row is None:
            raise UnknownRelaunchError(relaunch_id)
        return relaunch_of(row)

    async def move(self, move: Move, planned: Planned | None = None) -> bool:
        """Change a state; False when it is that state already. Raises `MoveRefusedError`."""
        async with self._database.writing(lasting=True) as connection:
            has_moved = await move_within(connection, move, planned)
            if has_moved:
                await self._write(move.entries, connection)
        return has_moved

    async def note(self, moment: Moment, entries: Sequence[Entry] = ()) -> bool:
        """Add a moment that changes no state; False when its key was told before, and nothing is written."""
        async with self._database.writing(lasting=True) as connection:
            await locked(connection, moment.relaunch_id)
            known = select(relaunch_events.c.sequence).where(
                relaunch_events.c.relaunch_id == moment.relaunch_id, relaunch_events.c.key == moment.key
            )
            if (await connection.execute(known)).first() is not None:
                return False
            await connection.execute(insert(relaunch_events), moment_values(moment))
            if moment.detail:
                change = update(relaunches).where(relaunches.c.id == moment.relaunch_id)
                await connection.execute(change.values(detail=moment.detail))
            await self._write(entries, connection)
        return True

    async def call_off(self, relaunch_id: str, actor_id: str, entries: Sequence[Entry]) -> bool:
        """Keep that somebody wants a run called off; False when it has ended or that was said before."""
        change = (
            update(relaunches)
            .where(
                relaunches.c.id == relaunch_id,
                relaunches.c.cancelled_by.is_(None),
                relaunches.c.ended_at.is_(None),
            )
            .values(cancelled_by=actor_id)
        )
        async with self._database.writing(lasting=True) as connection:
            if not (await connection.execute(change)).rowcount:
                return False
            await self._write(entries, connection)
        return True

    async def moments(self, relaunch_id: str) -> list[Moment]:
        """Return a run's timeline, oldest first."""
        query = select(relaunch_events).where(relaunch_events.c.relaunch_id == relaunch_id)
        async with self._database.reading() as connection:
            rows = await connection.execute(query.order_by(relaunch_events.c.sequence))
            return [moment_from(row) for row in rows]

    async def recent(self, limit: int) -> list[Relaunch]:
        """Return runs, the one asked for last first."""
        return await self._all(select(relaunches).order_by(relaunches.c.asked_at.desc()).limit(limit))

    async def unfinished(self) -> list[Relaunch]:
        """Return runs that have not ended, oldest first."""
        query = select(relaunches).where(relaunches.c.open_key.is_not(None))
        return await self._all(query.order_by(relaunches.c.asked_at))

    async def past(
        self, host: str, person: str, since: datetime, servers: Collection[str] = ()
    ) -> list[Relaunch]:
        """Return runs of this host, person or servers that were asked for since a time, oldest first."""
        query = select(relaunches).where(
            or_(
                relaunches.c.host == host,
                relaunches.c.requester == person,
                relaunches.c.server.in_(sorted(servers)),
            ),
            relaunches.c.asked_at >= to_millis(since),
        )
        return await self._all(query.order_by(relaunches.c.asked_at))

    async def _all(self, query: Select[Any]) -> list[Relaunch]:
        async with self._database.reading() as connection:
            return [relaunch_of(row) for row in await connection.execute(query)]

    async def _write(self, entries: Sequence[Entry], connection: AsyncConnection) -> None:
        for entry in entries:
            await self._journal.write(entry, connection)


async def locked(connection: AsyncConnection, relaunch_id: str) -> Relaunch:
    """Return a run that nobody else changes before this transaction ends. Raises `UnknownRelaunchError`."""
    row = (await connection.execute(_one(relaunch_id).with_for_update())).one_or_none()
    if row is None:
        raise UnknownRelaunchError(relaunch_id)
    return relaunch_of(row)


async def move_within(connection: AsyncConnection, move: Move, planned: Planned | None = None) -> bool:
    """Change a state in a transaction; the journal is the caller's."""
    now = await locked(connection, move.relaunch_id)
    is_unheard = now.state is State.HOST_UNKNOWN and now.held is move.to and not move.host_answers
    if now.state is move.to or is_unheard:
        return False
    if move.begins not in {None, now.state} or not may_move(now.state, move.to, now.held):
        raise MoveRefusedError(move.relaunch_id, now.state, move.to)
    values: dict[str, Any] = {"state": move.to.value, "detail": move.detail}
    values["held"] = now.state.value if move.to is State.HOST_UNKNOWN else None
    if planned is not None:
        values |= {"plan": dict(planned.plan), "plan_hash": planned.plan_hash}
        values["expires_at"] = to_millis(planned.expires_at)
    if move.to in TERMINAL:
        values |= {"open_key": None, "ended_at": to_millis(move.at)}
        free = update(host_locks).where(host_locks.c.relaunch_id == move.relaunch_id)
        await connection.execute(free.values(relaunch_id=None))
    change = update(relaunches).where(relaunches.c.id == move.relaunch_id)
    await connection.execute(change.values(**values))
    await add_event(connection, move.relaunch_id, move.to, move.at, move.detail, dict(move.facts))
    return True


async def add_event(
    connection: AsyncConnection,
    relaunch_id: str,
    state: State,
    at: datetime,
    detail: str,
    facts: dict[str, Any] | None = None,
) -> None:
    """Add the moment of a state to a timeline."""
    count = select(func.count()).where(relaunch_events.c.relaunch_id == relaunch_id)
    number = (await connection.execute(count)).scalar_one()
    row = {
        "relaunch_id": relaunch_id,
        "key": f"{state}#{number}",
        "state": state.value,
        "at": to_millis(at),
        "detail": detail,
        "facts": facts or {},
    }
    await connection.execute(insert(relaunch_events), row)


def _one(relaunch_id: str) -> Select[Any]:
    return select(relaunches).where(relaunches.c.id == relaunch_id)
