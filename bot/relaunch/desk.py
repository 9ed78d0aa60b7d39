"""The one entry for acts on relaunches, whoever asks and from where. Not for showing what comes of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.access.authorization import Approval, Decision, Refusal, Sight
from bot.access.policy import Action
from bot.relaunch.deciding import Act
from bot.relaunch.interface import News
from bot.relaunch.outcomes import DeskOutcome, OutcomeKind, Shown
from bot.relaunch.permission import request_of
from bot.relaunch.planning.kept_plan import ForeignPlanError, plan_from_json
from bot.relaunch.running.abandoning import abandon
from bot.relaunch.states import TERMINAL, UNWAITABLE, State
from bot.store.relaunches.interface import Move, MoveRefusedError, Ruling

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.access.actor import Actor
    from bot.access.authorization import Target
    from bot.audit.entry import Entry
    from bot.audit.interface import Journal
    from bot.relaunch.interface import Tools
    from bot.relaunch.permission import PresentPermission
    from bot.relaunch.planning.plan import Plan
    from bot.relaunch.requesting import Requesting, Wanted
    from bot.store.relaunches.interface import Relaunch

#: nothing runs yet: a run that is called off ends at once
_IDLE = frozenset({State.REQUESTED, State.PLANNED, State.PREFLIGHT_OK, State.AWAITING_APPROVAL})


class _NotWaitingError(Exception):
    """What was to be approved does not wait for it."""


@dataclass(frozen=True, slots=True)
class Desk:
    """Takes acts, has them judged, writes them down, and sets off what follows. Raises `UnknownRelaunchError`."""

    tools: Tools
    permission: PresentPermission
    requesting: Requesting
    journal: Journal
    #: wakes whoever feeds the engine
    wake: Callable[[], None]

    async def request(self, actor: Actor, wanted: Wanted) -> DeskOutcome:
        """Ask for a plan."""
        target = self.permission.target(wanted.server)
        if target is None:
            return _unregistered(wanted.server)
        act = await self._act(actor, Action.FORCE if wanted.is_forced else Action.REQUEST, target)
        decision = self._decide(act)
        if not decision.is_allowed:
            return await self._deny(act, decision)

        def entry(run: Relaunch) -> Entry:
            return act.decided(decision, self.tools.clock(), run)

        outcome = await self.requesting.request(wanted, target.host, actor.id, entry)
        if outcome.blocked is not None:
            await self._hold_back(act, outcome)
        return outcome

    async def preview(self, actor: Actor, wanted: Wanted) -> DeskOutcome:
        """Show the plan that a request would make; it is not kept, and there is nothing to approve."""
        target = self.permission.target(wanted.server)
        if target is None:
            return _unregistered(wanted.server)
        act = await self._act(actor, Action.FORCE if wanted.is_forced else Action.REQUEST, target)
        decision = self._decide(act)
        entry = act.decided(decision, self.tools.clock())
        await self.journal.write(replace(entry, detail=entry.detail or "a look at the plan"))
        if not decision.is_allowed:
            return DeskOutcome(OutcomeKind.DENIED, refusal=decision.refusal)
        return await self.requesting.preview(wanted, target.host, actor.id)

    async def approve(self, actor: Actor, relaunch_id: str, plan_hash: str) -> DeskOutcome:
        """Approve the plan that an actor saw; the last approval that is needed sets the run off, once."""
        run = await self.tools.runs.get(relaunch_id)
        target = self.permission.target(run.server)
        if target is None:
            return _unregistered(run.server)
        act = await self._act(actor, Action.APPROVE, target)
        decision = self._decide(act)
        if not decision.is_allowed:
            return await self._deny(act, decision, run)
        if run.state is not State.AWAITING_APPROVAL or run.plan is None:
            return DeskOutcome(OutcomeKind.ALREADY, run, detail=run.detail)
        try:
            plan = plan_from_json(run.plan)
        except ForeignPlanError as error:
            return DeskOutcome(OutcomeKind.FAILED, run, detail=str(error))
        blocked = await self.permission.blocked(run, plan)
        if blocked is not None and blocked.reason in UNWAITABLE:
            # an approval is not even counted
            outcome = DeskOutcome(OutcomeKind.BLOCKED, run, plan, blocked, detail=blocked.detail)
            await self._hold_back(act, outcome)
            return outcome
        return await self._approve(act, run, plan, plan_hash)

    async def reject(self, actor: Actor, relaunch_id: str, plan_hash: str) -> DeskOutcome:
        """Turn a plan down."""
        run = await self.tools.runs.get(relaunch_id)
        target = self.permission.target(run.server)
        if target is None:
            return _unregistered(run.server)
        act = await self._act(actor, Action.REJECT, target)
        decision = self._decide(act)
        is_waiting = run.state is State.AWAITING_APPROVAL
        if decision.is_allowed and is_waiting:
            sight = Sight(plan_hash, self.tools.clock())
            decision = self.permission.authorizer.decide_on_plan(
                act.actor, act.action, target, request_of(run, ()), sight
            )
        if not decision.is_allowed:
            return await self._deny(act, decision, run)
        if not is_waiting:
            return DeskOutcome(OutcomeKind.ALREADY, run, detail=run.detail)
        entry = act.decided(decision, self.tools.clock(), run)
        return await self._end(run, State.REJECTED, f"Rejected by {actor.id}.", entry, OutcomeKind.REJECTED)

    async def cancel(self, actor: Actor, relaunch_id: str) -> DeskOutcome:
        """Call a run off; one that has touched its server goes back, unless it is already proven or going back."""
        run = await self.tools.runs.get(relaunch_id)
        target = self.permission.target(run.server)
        if target is None:
            return _unregistered(run.server)
        act = await self._act(actor, Action.CANCEL, target)
        decision = self._decide(act)
        if not decision.is_allowed:
            return await self._deny(act, decision, run)
        if run.state in TERMINAL:
            return DeskOutcome(OutcomeKind.ALREADY, run, detail=run.detail)
        entry = act.decided(decision, self.tools.clock(), run)
        if run.state in _IDLE:
            detail = f"Called off by {actor.id}."
            return await self._end(run, State.VOIDED, detail, entry, OutcomeKind.CALLED_OFF)
        is_new = await self.tools.runs.call_off(run.id, actor.id, [entry])
        kind = OutcomeKind.CALLED_OFF if is_new else OutcomeKind.ALREADY
        return DeskOutcome(kind, await self.tools.runs.get(run.id))

    async def unlock(self, actor: Actor, relaunch_id: str) -> DeskOutcome:
        """Take the host away from a run that is lost; the next one has a higher fence, so this one can do nothing."""
        run = await self.tools.runs.get(relaunch_id)
        target = self.permission.target(run.server)
        if target is None:
            return _unregistered(run.server)
        act = await self._act(actor, Action.UNLOCK, target)
        decision = self._decide(act)
        if not decision.is_allowed:
            return await self._deny(act, decision, run)
        if run.state in TERMINAL:
            return DeskOutcome(OutcomeKind.ALREADY, run, detail=run.detail)
        await self.journal.write(act.decided(decision, self.tools.clock(), run))
        await abandon(run.id, f"The host was unlocked by {actor.id}.", self.tools, actor.id)
        return DeskOutcome(OutcomeKind.CALLED_OFF, await self.tools.runs.get(run.id))

    async def list(self, actor: Actor, limit: int = 20) -> tuple[Relaunch, ...]:
        """Return the newest runs that an actor may see."""
        return tuple([run for run in await self.tools.runs.recent(limit) if await self._may_see(actor, run)])

    async def show(self, actor: Actor, relaunch_id: str) -> Shown | None:
        """Return one run with its plan and timeline; None for somebody who may not see it."""
        run = await self.tools.runs.get(relaunch_id)
        target = self.permission.target(run.server)
        if target is None:
            return None
        act = await self._act(actor, Action.VIEW, target)
        decision = self._decide(act)
        if not decision.is_allowed:
            await self._deny(act, decision, run)
            return None
        try:
            plan = plan_from_json(run.plan) if run.plan is not None else None
        except ForeignPlanError:
            plan = None
        approvers = tuple(who.id for who, _ in await self.tools.approvals.of(run.id))
        return Shown(run, plan, tuple(await self.tools.runs.moments(run.id)), approvers)

    async def _may_see(self, actor: Actor, run: Relaunch) -> bool:
        target = self.permission.target(run.server)
        return target is not None and (await self.permission.decide(actor, Action.VIEW, target)).is_allowed

    async def _approve(self, act: Act, run: Relaunch, plan: Plan, plan_hash: str) -> DeskOutcome:
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
        return await self._approved(run, plan, ruling, missing)

    async def _approved(self, run: Relaunch, plan: Plan, ruling: Ruling, missing: int) -> DeskOutcome:
        if not ruling.decision.is_allowed:
            if ruling.decision.refusal is Refusal.EXPIRED:
                detail = "Nobody approved it in time: ask for a new plan."
                await self.tools.runs.move(Move(run.id, State.EXPIRED, self.tools.clock(), detail))
            return DeskOutcome(OutcomeKind.DENIED, run, plan, refusal=ruling.decision.refusal)
        kept = await self.tools.runs.get(run.id)
        if not ruling.is_enough:
            return DeskOutcome(OutcomeKind.COUNTED, kept, plan, missing=missing)
        self.wake()
        await self.tools.witness.hear(News(kept.id, kept.state, self.tools.clock(), kept.detail))
        return DeskOutcome(OutcomeKind.APPROVED, kept, plan)

    async def _end(
        self, run: Relaunch, to: State, detail: str, entry: Entry, kind: OutcomeKind
    ) -> DeskOutcome:
        now = self.tools.clock()
        try:
            await self.tools.runs.move(Move(run.id, to, now, detail, entries=(entry,)))
        except MoveRefusedError:
            # somebody was faster
            return DeskOutcome(OutcomeKind.ALREADY, await self.tools.runs.get(run.id))
        await self.tools.witness.hear(News(run.id, to, now, detail))
        return DeskOutcome(kind, await self.tools.runs.get(run.id))

    async def _act(self, actor: Actor, action: Action, target: Target) -> Act:
        return Act(await self.permission.known(actor, action, target), action, target)

    def _decide(self, act: Act) -> Decision:
        return self.permission.authorizer.decide(act.actor, act.action, act.target)

    async def _deny(self, act: Act, decision: Decision, run: Relaunch | None = None) -> DeskOutcome:
        await self.journal.write(act.decided(decision, self.tools.clock(), run))
        # only who is told why they are not in a group can do something about it
        detail = act.actor.silence if decision.refusal is Refusal.GROUPS_UNKNOWN else ""
        return DeskOutcome(OutcomeKind.DENIED, run, refusal=decision.refusal, detail=detail)

    async def _hold_back(self, act: Act, outcome: DeskOutcome) -> None:
        entry = act.decided(Decision(None), self.tools.clock(), outcome.relaunch)
        await self.journal.write(replace(entry, outcome="refused", detail=outcome.detail))


def _unregistered(server: str) -> DeskOutcome:
    return DeskOutcome(
        OutcomeKind.FAILED,
        detail=f"no server {server} is registered",
        next_step="look at the registry of hosts",
    )
