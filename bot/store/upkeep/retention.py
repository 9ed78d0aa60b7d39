"""Removes what has been kept long enough. Not for deciding how long that is."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import delete, exists, func, select

from bot.store.interface import InboxState, Purged
from bot.store.tables import answers, inbox, incidents, login_links, room_events, sessions, to_millis

if TYPE_CHECKING:
    from sqlalchemy import Delete
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.store.database import Database

_BATCH = 500


class SqlRetention:
    """What is old enough to go."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def purge(self, before: datetime) -> Purged:
        """Remove what nobody touched since a time; an event that still waits for its answer stays.

        The messages of an incident stay as long as the incident, so that its thread keeps one card.
        """
        cut = to_millis(before)
        still_open = exists().where(
            answers.c.inbox_id == inbox.c.id,
            incidents.c.id == answers.c.incident_id,
            incidents.c.seen_at >= cut,
        )
        events = delete(inbox).where(inbox.c.received_at < cut, inbox.c.state != InboxState.NEW, ~still_open)
        async with self._database.writing() as connection:
            gone_incidents = await _count(connection, delete(incidents).where(incidents.c.seen_at < cut))
            gone_events = await _count(connection, events)
            await connection.execute(delete(sessions).where(sessions.c.expires_at < cut))
            await connection.execute(delete(login_links).where(login_links.c.expires_at < cut))
        return Purged(gone_incidents, gone_events, await self._purge_rooms(before))

    async def waiting(self) -> int:
        """Return how many events wait for an answer."""
        query = select(func.count()).select_from(inbox).where(inbox.c.state == InboxState.NEW)
        async with self._database.reading() as connection:
            return int((await connection.execute(query)).scalar_one())

    async def _purge_rooms(self, before: datetime) -> int:
        """Remove the oldest events of the console's chat; the log is in the order of time."""
        last, found_newer = 0, False
        while not found_newer:
            query = (
                select(room_events.c.sequence, room_events.c.payload)
                .where(room_events.c.sequence > last)
                .order_by(room_events.c.sequence)
                .limit(_BATCH)
            )
            async with self._database.reading() as connection:
                rows = (await connection.execute(query)).all()
            for row in rows:
                at = row.payload.get("at")
                if at is not None and datetime.fromisoformat(at) >= before:
                    found_newer = True
                    break
                last = row.sequence
            if not rows:
                break
        async with self._database.writing() as connection:
            return await _count(connection, delete(room_events).where(room_events.c.sequence <= last))


async def _count(connection: AsyncConnection, change: Delete) -> int:
    return max(0, (await connection.execute(change)).rowcount)
