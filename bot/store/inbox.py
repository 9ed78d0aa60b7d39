"""The inbox in a database. Not for what is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from bot.store.interface import InboxEntry, InboxState
from bot.store.places import columns_of, is_at, place_of
from bot.store.tables import delivery_keys, from_millis, inbox, to_millis

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Row

    from adapters.chat.interface import Place
    from bot.store.database import Database


#: the most messages of a channel that one of them is compared with
_SAID_LIMIT = 100


class SqlInbox:
    """Events that were delivered, each kept once; meets `InboxStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def keep(self, entry: InboxEntry, keys: Sequence[str]) -> bool:
        """Keep a new event; False when its platform used one of the keys before, and nothing is kept."""
        row = {
            "id": entry.id,
            **columns_of(entry.place),
            "message": entry.message,
            "kind": entry.kind,
            "payload": dict(entry.payload),
            "state": InboxState.NEW,
            "attempts": entry.attempts,
            "received_at": to_millis(entry.received_at),
        }
        names = [
            {"platform": entry.place.platform, "key": key, "inbox_id": entry.id}
            for key in dict.fromkeys(keys)
        ]
        try:
            async with self._database.writing() as connection:
                await connection.execute(insert(inbox), row)
                if names:
                    await connection.execute(insert(delivery_keys), names)
        except IntegrityError:
            return False
        return True

    async def waiting(self, limit: int) -> list[InboxEntry]:
        """Return events that are still to be looked at, oldest first."""
        query = select(inbox).where(inbox.c.state == InboxState.NEW).order_by(inbox.c.received_at, inbox.c.id)
        async with self._database.reading() as connection:
            return [entry_of(row) for row in await connection.execute(query.limit(limit))]

    async def tried(self, entry_id: str) -> int:
        """Count one more try and return how many there were."""
        change = update(inbox).where(inbox.c.id == entry_id).values(attempts=inbox.c.attempts + 1)
        async with self._database.writing() as connection:
            found = await connection.execute(change.returning(inbox.c.attempts))
            return int(found.scalar_one_or_none() or 0)

    async def settle(self, entry_id: str, state: InboxState) -> None:
        """Say that an event needs no more looking at."""
        async with self._database.writing() as connection:
            await connection.execute(update(inbox).where(inbox.c.id == entry_id).values(state=state))

    async def remember(self, entry_id: str, payload: Mapping[str, Any]) -> None:
        """Replace what is kept of an event, masked."""
        async with self._database.writing() as connection:
            change = update(inbox).where(inbox.c.id == entry_id).values(payload=dict(payload))
            await connection.execute(change)

    async def thread_messages(self, place: Place, limit: int) -> list[InboxEntry]:
        """Return the messages of a thread that were kept, its head included, oldest first."""
        query = (
            select(inbox)
            .where(*is_at(inbox, place), inbox.c.kind == "message")
            .order_by(inbox.c.received_at, inbox.c.id)
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return [entry_of(row) for row in await connection.execute(query)]

    async def said_before(self, last: InboxEntry, since: datetime) -> list[InboxEntry]:
        """Return the messages outside of threads that were kept in the same channel since then, oldest first."""
        place = last.place
        query = (
            select(inbox)
            # every state is named, for there is an index of states and times, and none of channels and times
            .where(inbox.c.state.in_(list(InboxState)), inbox.c.received_at >= to_millis(since))
            .where(inbox.c.received_at <= to_millis(last.received_at), inbox.c.kind == "message")
            .where(inbox.c.platform == place.platform, inbox.c.team == place.team)
            .where(inbox.c.channel == place.channel, inbox.c.thread == inbox.c.message)
            .order_by(inbox.c.received_at.desc(), inbox.c.id)
            .limit(_SAID_LIMIT)
        )
        async with self._database.reading() as connection:
            return [entry_of(row) for row in await connection.execute(query)][::-1]


def entry_of(row: Row[Any]) -> InboxEntry:
    """Return the entry of a row."""
    return InboxEntry(
        id=row.id,
        kind=row.kind,
        place=place_of(row),
        message=row.message,
        payload=row.payload,
        received_at=from_millis(row.received_at),
        attempts=row.attempts,
    )
