"""Ends a run without its host: when this program cannot go on, or an operator takes its lock away.

Not for rolling back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.audit.entry import Entry, Stage
from bot.relaunch.interface import News
from bot.relaunch.states import TERMINAL, TOUCHED, State
from bot.store.relaunches.interface import Move

if TYPE_CHECKING:
    from bot.relaunch.interface import Tools
    from bot.store.relaunches.interface import Relaunch


async def abandon(relaunch_id: str, why: str, tools: Tools, actor_id: str = "bot") -> State:
    """End a run where it stands, set its host free, and say that a person has to look if it was touched."""
    relaunch = await tools.runs.get(relaunch_id)
    if relaunch.state in TERMINAL:
        return relaunch.state
    state = relaunch.held or relaunch.state
    if state not in TOUCHED:
        await _move(relaunch, State.VOIDED, why, tools, actor_id)
        return State.VOIDED
    told = f"{why} A person has to look at {relaunch.host}."
    if state is not State.ROLLING_BACK:
        await _move(relaunch, State.ROLLING_BACK, told, tools, actor_id)
    await _move(relaunch, State.ROLLBACK_FAILED, told, tools, actor_id)
    return State.ROLLBACK_FAILED


async def _move(relaunch: Relaunch, to: State, why: str, tools: Tools, actor_id: str) -> None:
    now = tools.clock()
    entry = Entry(
        at=now,
        stage=Stage.RESULT,
        act="relaunch",
        actor=actor_id,
        outcome="failed",
        host=relaunch.host,
        server=relaunch.server,
        relaunch=relaunch.id,
        plan_hash=relaunch.plan_hash,
        detail=why,
    )
    if await tools.runs.move(Move(relaunch.id, to, now, why, entries=(entry,))):
        await tools.witness.hear(News(relaunch.id, to, now, why))
