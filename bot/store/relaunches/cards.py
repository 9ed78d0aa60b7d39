"""Which message shows a run, in a database. Not for what it shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import insert, select, update

from bot.store.tables import run_cards

if TYPE_CHECKING:
    from bot.store.database import Database


@dataclass(frozen=True, slots=True)
class RunCard:
    """The one message about a run."""

    relaunch_id: str
    #: the platform's id; None: it is being posted, or was when a process died
    message: str | None
    #: SHA-256 of the card that it shows
    shown: str


class SqlRunCards:
    """Messages about runs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, relaunch_id: str) -> RunCard | None:
        """Return the message of a run; None when none was ever begun."""
        query = select(run_cards).where(run_cards.c.relaunch_id == relaunch_id)
        async with self._database.reading() as connection:
            row = (await connection.execute(query)).one_or_none()
        return RunCard(row.relaunch_id, row.message, row.shown) if row is not None else None

    async def begin(self, relaunch_id: str) -> None:
        """Keep that a message is about to be posted."""
        row = {"relaunch_id": relaunch_id, "message": None, "shown": ""}
        async with self._database.writing() as connection:
            await connection.execute(insert(run_cards), row)

    async def showed(self, card: RunCard) -> None:
        """Keep what a message shows now."""
        change = update(run_cards).where(run_cards.c.relaunch_id == card.relaunch_id)
        async with self._database.writing() as connection:
            await connection.execute(change.values(message=card.message, shown=card.shown))
