"""Approvals in a database: judged and kept in one transaction, with the run's start when they are enough.

Not for judging them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from bot.access.actor import Actor, Surface
from bot.access.authorization import Approval
from bot.store.relaunches.runs import locked, move_within
from bot.store.tables import approvals, from_millis, outbox, to_millis

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Row
    from sqlalchemy.ext.asyncio import AsyncConnection

    from bot.audit.interface import Journal
    from bot.store.database import Database
    from bot.store.relaunches.interface import Move, Relaunch, Ruling


class SqlApprovals:
    """Who approved what; meets `ApprovalStore`."""

    def __init__(self, database: Database, journal: Journal) -> None:
        self._database = database
        self._journal = journal

    async def approve(
        self,
        actor: Actor,
        move: Move,
        approval: Approval,
        rule: Callable[[Relaunch, tuple[Approval, ...]], Ruling],
    ) -> Ruling:
        """Judge an approval on what is kept; if it is allowed, keep it, and if it is enough, move and queue the run."""
        async with self._database.writing(lasting=True) as connection:
            relaunch = await locked(connection, move.relaunch_id)
            known = await _of(connection, move.relaunch_id)
            ruling = rule(relaunch, tuple(one for _, one in known))
            if ruling.decision.is_allowed:
                await _keep(connection, move.relaunch_id, actor, approval)
                if ruling.is_enough and await move_within(connection, move):
                    await connection.execute(insert(outbox), _start(move))
            for entry in ruling.entries:
                await self._journal.write(entry, connection)
        return ruling

    async def of(self, relaunch_id: str) -> list[tuple[Actor, Approval]]:
        """Return the approvals of a run, oldest first, each with who gave it."""
        async with self._database.reading() as connection:
            return await _of(connection, relaunch_id)


def _start(move: Move) -> dict[str, Any]:
    return {
        "key": f"{move.relaunch_id}:start",
        "relaunch_id": move.relaunch_id,
        "kind": "start",
        "made_at": to_millis(move.at),
    }


async def _keep(connection: AsyncConnection, relaunch_id: str, actor: Actor, approval: Approval) -> None:
    """Keep an approval in place of an earlier one of the same account, which may prove less."""
    values = {
        "plan_hash": approval.plan_hash,
        "actor": _actor_to_json(actor),
        "at": to_millis(approval.at),
    }
    mine = approvals.c.relaunch_id == relaunch_id, approvals.c.actor_id == actor.id
    if not (await connection.execute(update(approvals).where(*mine).values(**values))).rowcount:
        row = {"relaunch_id": relaunch_id, "actor_id": actor.id, **values}
        await connection.execute(insert(approvals), row)


async def _of(connection: AsyncConnection, relaunch_id: str) -> list[tuple[Actor, Approval]]:
    query = select(approvals).where(approvals.c.relaunch_id == relaunch_id)
    rows = await connection.execute(query.order_by(approvals.c.at, approvals.c.actor_id))
    return [_approval(row) for row in rows]


def _approval(row: Row[Any]) -> tuple[Actor, Approval]:
    actor = _actor_from_json(row.actor)
    return actor, Approval(row.actor_id, row.plan_hash, actor.is_signed_in, from_millis(row.at))


def _actor_to_json(actor: Actor) -> dict[str, Any]:
    return {
        "surface": actor.surface.value,
        "id": actor.id,
        "groups": sorted(actor.groups),
        "is_bot": actor.is_bot,
        "channel": actor.channel,
        "source": actor.source,
    }


def _actor_from_json(kept: dict[str, Any]) -> Actor:
    return Actor(
        surface=Surface(kept["surface"]),
        id=kept["id"],
        groups=frozenset(kept["groups"]),
        is_bot=kept["is_bot"],
        channel=kept["channel"],
        source=kept["source"],
    )
