"""Runs for whoever may see them; who may not gets nothing, and that is written down. Not for acting on runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.access.policy import Action
from bot.relaunch.outcomes import Shown
from bot.relaunch.planning.kept_plan import ForeignPlanError, plan_from_json

if TYPE_CHECKING:
    from bot.access.actor import Actor
    from bot.audit.denied_views import DeniedViews
    from bot.relaunch.interface import Tools
    from bot.relaunch.permission import PresentPermission
    from bot.store.relaunches.interface import Relaunch


@dataclass(frozen=True, slots=True)
class Viewing:
    """Shows runs. Raises `UnknownRelaunchError`."""

    tools: Tools
    permission: PresentPermission
    denied: DeniedViews

    async def list(self, actor: Actor, limit: int) -> tuple[Relaunch, ...]:
        """Return the newest runs that an actor may see."""
        return tuple([run for run in await self.tools.runs.recent(limit) if await self._may_see(actor, run)])

    async def show(self, actor: Actor, relaunch_id: str) -> Shown | None:
        """Return one run with its plan and timeline; None for somebody who may not see it."""
        run = await self.tools.runs.get(relaunch_id)
        act, decision = await self.permission.decide_on_run(actor, Action.VIEW, run)
        if not decision.is_allowed:
            await self.denied.write(act.decided(decision, self.tools.clock(), run))
            return None
        try:
            plan = plan_from_json(run.plan) if run.plan is not None else None
        except ForeignPlanError:
            plan = None
        approvers = tuple(who.id for who, _ in await self.tools.approvals.of(run.id))
        return Shown(run, plan, tuple(await self.tools.runs.moments(run.id)), approvers)

    async def _may_see(self, actor: Actor, run: Relaunch) -> bool:
        _, decision = await self.permission.decide_on_run(actor, Action.VIEW, run)
        return decision.is_allowed
