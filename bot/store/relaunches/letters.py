"""The outbox in a database: what the engine has not been told yet. Not for telling it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select, update

from bot.store.relaunches.interface import Letter
from bot.store.tables import outbox, to_millis

if TYPE_CHECKING:
    from datetime import datetime

    from bot.store.database import Database


class SqlOutbox:
    """Letters to the engine; meets `Outbox`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def waiting(self, limit: int) -> list[Letter]:
        """Return letters that were not taken, oldest first."""
        query = select(outbox).where(outbox.c.taken_at.is_(None)).order_by(outbox.c.sequence).limit(limit)
        async with self._database.reading() as connection:
            rows = await connection.execute(query)
            return [Letter(row.sequence, row.key, row.relaunch_id, row.kind) for row in rows]

    async def taken(self, letter: Letter, at: datetime) -> None:
        """Say that the engine has it."""
        change = update(outbox).where(outbox.c.sequence == letter.sequence)
        async with self._database.writing() as connection:
            await connection.execute(change.values(taken_at=to_millis(at)))
