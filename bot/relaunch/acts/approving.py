"""One more approval of a plan: counted in one transaction with what it sets off. Not for who may approve at all."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.access.authorization import Approval, Refusal, Sight
from bot.access.policy import Action
from bot.relaunch.interface import News
from bot.relaunch.outcomes import DeskOutcome, OutcomeKind
from bot.relaunch.permission import request_of
from bot.relaunch.states import State
from bot.store.relaunches.interface import Move, MoveRefusedError, Ruling

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.relaunch.acts.deciding import Act
    from bot.relaunch.interface import Tools
    from bot.relaunch.permission import PresentPermission
    from bot.relaunch.planning.plan import Plan
    from bot.store.relaunches.interface import Relaunch


class _NotWaitingError(Exception):
    """What was to be approved does not wait for it."""


@dataclass(frozen=True, slots=True)
class Approving:
    """Counts approvals; the last one that is needed sets the run off, once."""

    tools: Tools
    permission: PresentPermission
    #: wakes whoever feeds the engine
    wake: Callable[[], None]

    async def approve(self, act: Act, run: Relaunch, plan: Plan, plan_hash: str) -> DeskOutcome:
        """Return what comes of the word of somebody who may approve, for the plan that they saw."""
        now, authorizer = self.tools.clock(), self.permission.authorizer
        actor, target = act.actor, act.target
        approval = Approval(actor.id, plan_hash, actor.is_signed_in, now)
        missing = 0

        def rule(kept: Relaunch, earlier: tuple[Approval, ...]) -> Ruling:
            nonlocal missing
            if kept.state is not State.AWAITING_APPROVAL:
                raise _NotWaitingError
            request = request_of(kept, earlier)
            decision = authorizer.decide_on_plan(
                actor, Action.APPROVE, target, request, Sight(plan_hash, now)
            )
            entry = act.decided(decision, self.tools.clock(), kept)
            others = tuple(one for one in earlier if one.actor_id != actor.id)
            whole = request_of(kept, (*others, approval))
            missing = authorizer.approvals_missing(whole, target)
            is_enough = decision.is_allowed and authorizer.is_approved(whole, target, now)
            return Ruling(decision, is_enough, (entry,))

        move = Move(run.id, State.APPROVED, now, f"Approved by {actor.id}.")
        try:
            ruling = await self.tools.approvals.approve(actor, move, approval, rule)
        except _NotWaitingError:
            kept = await self.tools.runs.get(run.id)
            return DeskOutcome(OutcomeKind.ALREADY, kept, plan, detail=kept.detail)
        return await self._ruled(run, plan, ruling, missing)

    async def _ruled(self, run: Relaunch, plan: Plan, ruling: Ruling, missing: int) -> DeskOutcome:
        if not ruling.decision.is_allowed:
            if ruling.decision.refusal is Refusal.EXPIRED:
                detail = "Nobody approved it in time: ask for a new plan."
                with suppress(MoveRefusedError):
                    # unless it waits no more
                    now = self.tools.clock()
                    await self.tools.runs.move(Move(run.id, State.EXPIRED, now, detail, begins=run.state))
            return DeskOutcome(OutcomeKind.DENIED, run, plan, refusal=ruling.decision.refusal)
        kept = await self.tools.runs.get(run.id)
        if not ruling.is_enough:
            return DeskOutcome(OutcomeKind.COUNTED, kept, plan, missing=missing)
        self.wake()
        await self.tools.witness.hear(News(kept.id, kept.state, self.tools.clock(), kept.detail))
        return DeskOutcome(OutcomeKind.APPROVED, kept, plan)
