"""The journal in a database: appended to, read, never changed. Not for what a chain is."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Final

from sqlalchemy import insert, select

from bot.audit.chain import Head, Keys, Link, link
from bot.store.tables import journal, to_millis

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.audit.entry import Entry
    from bot.store.database import Database

#: two writers at once would follow the same link; SQLite lets only one write anyhow
_LOCK: Final = "SELECT pg_advisory_xact_lock(7085041990142563)"
_PAGE: Final = 1_000


class SqlJournal:
    """The journal; meets `Journal`."""

    def __init__(self, database: Database, keys: Keys) -> None:
        self._database = database
        self._keys = keys

    async def write(self, entry: Entry, connection: AsyncConnection | None = None) -> Link:
        """Append an entry; with a connection, in its transaction, which must be one for writing."""
        given = nullcontext(connection) if connection is not None else self._database.writing(lasting=True)
        async with given as inside:
            if self._database.dialect == "postgresql":
                await inside.exec_driver_sql(_LOCK)
            made = link(entry, await _newest(inside), self._keys)
            row = {
                "sequence": made.sequence,
                "record": made.record,
                "mac": made.mac,
                "at": to_millis(entry.at),
                "relaunch": entry.relaunch[:64],
            }
            await inside.execute(insert(journal), row)
        return made

    async def head(self) -> Head | None:
        """Return the newest link; None while the journal is empty."""
        async with self._database.reading() as connection:
            newest = await _newest(connection)
        return Head(newest.sequence, newest.mac) if newest is not None else None

    async def links(self, after: int = 0, relaunch: str | None = None) -> AsyncIterator[Link]:
        """Give the links after a sequence number, oldest first; only those of one relaunch if named."""
        while True:
            query = select(journal).where(journal.c.sequence > after).order_by(journal.c.sequence)
            if relaunch is not None:
                query = query.where(journal.c.relaunch == relaunch)
            async with self._database.reading() as connection:
                rows = (await connection.execute(query.limit(_PAGE))).all()
            for row in rows:
                yield Link(row.sequence, row.record, row.mac)
            if len(rows) < _PAGE:
                return
            after = rows[-1].sequence


async def _newest(connection: AsyncConnection) -> Link | None:
    query = select(journal).order_by(journal.c.sequence.desc()).limit(1)
    row = (await connection.execute(query)).one_or_none()
    return Link(row.sequence, row.record, row.mac) if row is not None else None
