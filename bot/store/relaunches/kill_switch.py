"""The switch for all relaunching in a database: a row while it is off. Not for who may turn it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, insert, select

from bot.relaunch.acts.switching import SwitchedOff
from bot.store.tables import from_millis, switched_off, to_millis

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.audit.entry import Entry
    from bot.audit.interface import Journal
    from bot.store.database import Database

_NAME: Final = "relaunch"
_MINE: Final = switched_off.c.name == _NAME


class SqlKillSwitch:
    """The switch; meets `KillSwitch`."""

    def __init__(self, database: Database, journal: Journal) -> None:
        self._database = database
        self._journal = journal

    async def state(self) -> SwitchedOff | None:
        """Return who turned it off; None: it is on."""
        return await state_of(self._database)

    async def turn_off(self, off: SwitchedOff, entry: Entry) -> bool:
        """Turn it off and write it down; False when it was off already: that stays as it is."""
        row = {"name": _NAME, "by": off.by, "at": to_millis(off.at), "why": off.why}
        async with self._database.writing(lasting=True) as connection:
            # first the journal: it lets one writer in at a time, on every kind of store
            await self._journal.write(entry, connection)
            if await _state(connection) is not None:
                return False
            await connection.execute(insert(switched_off), row)
        return True

    async def turn_on(self, entry: Entry) -> bool:
        """Turn it on and write it down; False when it was on already."""
        async with self._database.writing(lasting=True) as connection:
            await self._journal.write(entry, connection)
            return bool((await connection.execute(delete(switched_off).where(_MINE))).rowcount)


async def state_of(database: Database) -> SwitchedOff | None:
    """Return who turned relaunching off, for whoever has no journal at hand; None: it is on."""
    async with database.reading() as connection:
        return await _state(connection)


async def _state(connection: AsyncConnection) -> SwitchedOff | None:
    row = (await connection.execute(select(switched_off).where(_MINE))).one_or_none()
    return None if row is None else SwitchedOff(row.by, from_millis(row.at), row.why)
