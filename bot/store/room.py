"""The console's chat in a database: a log that only grows. Not for showing it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, insert, select

from bot.store.interface import RoomEvent
from bot.store.tables import room_events

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import ColumnElement, Row

    from bot.store.database import Database


class SqlRoomLog:
    """What happened in the console's chat; meets `RoomLog`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def append(self, channel: str, kind: str, key: str, payload: Mapping[str, Any]) -> RoomEvent:
        """Add an event; one with the same kind and key is added once, and comes back as it was kept."""
        async with self._database.writing() as connection:
            query = select(room_events).where(_is(kind, key))
            known = (await connection.execute(query)).one_or_none()
            if known is None:
                row = {"channel": channel, "kind": kind, "key": key, "payload": dict(payload)}
                await connection.execute(insert(room_events), row)
                known = (await connection.execute(query)).one()
        return _event(known)

    async def after(self, sequence: int, limit: int) -> list[RoomEvent]:
        """Return what happened after a sequence number, oldest first."""
        query = (
            select(room_events)
            .where(room_events.c.sequence > sequence)
            .order_by(room_events.c.sequence)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return [_event(row) for row in await connection.execute(query)]

    async def find(self, kind: str, key: str) -> RoomEvent | None:
        """Return the event of this kind and key."""
        async with self._database.reading() as connection:
            row = (await connection.execute(select(room_events).where(_is(kind, key)))).one_or_none()
        return _event(row) if row is not None else None

    async def last_sequence(self) -> int:
        """Return the number of the newest event, 0 when there is none."""
        async with self._database.reading() as connection:
            return int((await connection.execute(select(func.max(room_events.c.sequence)))).scalar() or 0)


def _is(kind: str, key: str) -> ColumnElement[bool]:
    return (room_events.c.kind == kind) & (room_events.c.key == key)


def _event(row: Row[Any]) -> RoomEvent:
    return RoomEvent(row.sequence, row.channel, row.kind, row.payload)
