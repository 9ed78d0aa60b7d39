"""Which process works on which event, so that several processes on one store never do the same work twice.

An event is claimed for a while and the claim is renewed while the work goes on; what a process leaves behind
when it is killed is free again once its claims run out. Not for what the work is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import and_, exists, or_, select, text, update

from bot.store.inbox import entry_of
from bot.store.interface import InboxState
from bot.store.tables import inbox, to_millis

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from sqlalchemy import ColumnElement, FromClause

    from bot.store.database import Database
    from bot.store.interface import Claim, InboxEntry

#: claims are made one after the other on PostgreSQL; SQLite has one writer anyway
_LOCK = text("SELECT pg_advisory_xact_lock(7085041990142561)")
_PLACE = ("platform", "team", "channel", "thread")


class SqlClaims:
    """Claims on events; meets `ClaimStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, claim: Claim, limit: int) -> list[InboxEntry]:
        """Claim events that nobody works on, oldest first, of each thread only its oldest."""
        now = to_millis(claim.now)
        query = (
            select(inbox)
            .where(
                inbox.c.state == InboxState.NEW,
                inbox.c.platform.in_(claim.platforms),
                or_(inbox.c.claimed_until.is_(None), inbox.c.claimed_until <= now),
                ~_has_rival(now),
            )
            .order_by(inbox.c.received_at, inbox.c.id)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        async with self._database.writing() as connection:
            if self._database.dialect == "postgresql":
                await connection.execute(_LOCK)
            rows = (await connection.execute(query)).all()
            if rows:
                change = update(inbox).where(inbox.c.id.in_([row.id for row in rows]))
                values = {"claimed_by": claim.owner, "claimed_until": to_millis(claim.until)}
                await connection.execute(change.values(**values))
        return [entry_of(row) for row in rows]

    async def renew(self, owner: str, entry_ids: Collection[str], until: datetime) -> set[str]:
        """Keep claims for longer; returns those that are still the owner's."""
        change = (
            update(inbox)
            .where(inbox.c.claimed_by == owner, inbox.c.id.in_(entry_ids))
            .values(claimed_until=to_millis(until))
            .returning(inbox.c.id)
        )
        async with self._database.writing() as connection:
            return {str(row.id) for row in await connection.execute(change)}

    async def release(self, owner: str, entry_id: str, not_before: datetime | None = None) -> None:
        """Give a claim back; nobody takes the event before a time."""
        values = {"claimed_by": None, "claimed_until": to_millis(not_before) if not_before else None}
        change = update(inbox).where(inbox.c.claimed_by == owner, inbox.c.id == entry_id)
        async with self._database.writing() as connection:
            await connection.execute(change.values(**values))

    async def forget(self, owner: str) -> None:
        """Give back all claims of an owner that is no more."""
        change = update(inbox).where(inbox.c.claimed_by == owner, inbox.c.state == InboxState.NEW)
        async with self._database.writing() as connection:
            await connection.execute(change.values(claimed_by=None, claimed_until=None))


def _has_rival(now: int) -> ColumnElement[bool]:
    """Return whether an older event of the same thread waits, or another one is being worked on."""
    other = inbox.alias("other")
    is_older = or_(
        other.c.received_at < inbox.c.received_at,
        and_(other.c.received_at == inbox.c.received_at, other.c.id < inbox.c.id),
    )
    is_worked_on = and_(other.c.claimed_by.is_not(None), other.c.claimed_until > now)
    return exists().where(
        *_same_place(other),
        other.c.id != inbox.c.id,
        other.c.state == InboxState.NEW,
        or_(is_older, is_worked_on),
    )


def _same_place(other: FromClause) -> list[ColumnElement[bool]]:
    return [other.c[name] == inbox.c[name] for name in _PLACE]
