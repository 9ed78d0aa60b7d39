"""A few words under a name, in a database. Not for anything that has a shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from bot.store.tables import notes

if TYPE_CHECKING:
    from bot.store.database import Database

_NAME_LIMIT = 255


class SqlNotes:
    """Notes of one writer, told apart from those of others by a prefix."""

    def __init__(self, database: Database, prefix: str) -> None:
        self._database = database
        self._prefix = prefix

    async def read(self, key: str) -> str | None:
        """Return what was written last under a key."""
        query = select(notes.c.value).where(notes.c.name == self._name(key))
        async with self._database.reading() as connection:
            found = (await connection.execute(query)).scalar_one_or_none()
        return None if found is None else str(found)

    async def write(self, key: str, value: str) -> None:
        """Keep a value under a key, in place of an earlier one."""
        change = update(notes).where(notes.c.name == self._name(key)).values(value=value)
        for _ in range(2):
            async with self._database.writing() as connection:
                if (await connection.execute(change)).rowcount:
                    return
            try:
                async with self._database.writing() as connection:
                    await connection.execute(insert(notes), {"name": self._name(key), "value": value})
            except IntegrityError:
                # another process was first: its note is replaced
                continue
            return

    def _name(self, key: str) -> str:
        return f"{self._prefix}:{key}"[:_NAME_LIMIT]
