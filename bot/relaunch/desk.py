"""The one entry for acts on relaunches, whoever asks and from where. Not for showing what comes of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.access.authorization import Decision, Refusal, Sight
from bot.access.policy import Action
from bot.relaunch.interface import News
from bot.relaunch.outcomes import DeskOutcome, OutcomeKind
from bot.relaunch.permission import request_of
from bot.relaunch.planning.kept_plan import ForeignPlanError, plan_from_json
from bot.relaunch.running.abandoning import abandon
from bot.relaunch.states import TERMINAL, UNWAITABLE, State
from bot.store.relaunches.interface import Move, MoveRefusedError

if TYPE_CHECKING:
    from datetime import datetime

    from bot.access.actor import Actor
    from bot.access.authorization import Target
    from bot.audit.entry import Entry
    from bot.audit.interface import Journal
    from bot.relaunch.acts.approving import Approving
    from bot.relaunch.acts.deciding import Act
    from bot.relaunch.acts.viewing import Viewing
    from bot.relaunch.interface import Tools
    from bot.relaunch.outcomes import Shown
    from bot.relaunch.permission import PresentPermission
    from bot.relaunch.planning.requesting import Requesting
    from bot.relaunch.planning.wanted import Wanted
    from bot.store.relaunches.interface import Relaunch

#: nothing runs yet: a run that is called off ends at once
_IDLE = frozenset({State.REQUESTED, State.PLANNED, State.PREFLIGHT_OK, State.AWAITING_APPROVAL})


@dataclass(frozen=True, slots=True)
class _Opened:
    """A run, and what somebody may do with it."""

    run: Relaunch
    act: Act
    decision: Decision

    def entry(self, at: datetime) -> Entry:
        """Return the entry that says so."""
        return self.act.decided(self.decision, at, self.run)


@dataclass(frozen=True, slots=True)
class Desk:
    """Takes acts, has them judged, writes them down, and sets off what follows. Raises `UnknownRelaunchError`."""

    tools: Tools
    permission: PresentPermission
    requesting: Requesting
    approving: Approving
    viewing: Viewing
    journal: Journal

    async def request(self, actor: Actor, wanted: Wanted) -> DeskOutcome:
        """Ask for a plan."""
        target = self.permission.target(wanted.server)
        if target is None:
            return _unregistered(wanted.server)
        act, decision = await self._judge(actor, wanted, target)
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
        act, decision = await self._judge(actor, wanted, target)
        entry = act.decided(decision, self.tools.clock())
        await self.journal.write(replace(entry, detail=entry.detail or "a look at the plan"))
        if not decision.is_allowed:
            return DeskOutcome(OutcomeKind.DENIED, refusal=decision.refusal)
        return await self.requesting.preview(wanted, target.host, actor.id)

    async def approve(self, actor: Actor, relaunch_id: str, plan_hash: str) -> DeskOutcome:
        """Approve the plan that an actor saw; the last approval that is needed sets the run off, once."""
        opened = await self._open(actor, Action.APPROVE, relaunch_id)
        if isinstance(opened, DeskOutcome):
            return opened
        run, act = opened.run, opened.act
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
        return await self.approving.approve(act, run, plan, plan_hash)

    async def reject(self, actor: Actor, relaunch_id: str, plan_hash: str) -> DeskOutcome:
        """Turn a plan down."""
        opened = await self._open(actor, Action.REJECT, relaunch_id)
        if isinstance(opened, DeskOutcome):
            return opened
        run, act = opened.run, opened.act
        if run.state is not State.AWAITING_APPROVAL:
            return DeskOutcome(OutcomeKind.ALREADY, run, detail=run.detail)
        sight, authorizer = Sight(plan_hash, self.tools.clock()), self.permission.authorizer
        decision = authorizer.decide_on_plan(act.actor, act.action, act.target, request_of(run, ()), sight)
        if not decision.is_allowed:
            return await self._deny(act, decision, run)
        entry = act.decided(decision, self.tools.clock(), run)
        return await self._end(run, State.REJECTED, f"Rejected by {actor.id}.", entry, OutcomeKind.REJECTED)

    async def cancel(self, actor: Actor, relaunch_id: str) -> DeskOutcome:
        """Call a run off; one that has touched its server goes back, unless it is already proven or going back."""
        opened = await self._open(actor, Action.CANCEL, relaunch_id)
        if isinstance(opened, DeskOutcome):
            return opened
        run, entry = opened.run, opened.entry(self.tools.clock())
        if run.state in TERMINAL:
            return DeskOutcome(OutcomeKind.ALREADY, run, detail=run.detail)
        if run.state in _IDLE:
            detail = f"Called off by {actor.id}."
            return await self._end(run, State.VOIDED, detail, entry, OutcomeKind.CALLED_OFF)
        is_new = await self.tools.runs.call_off(run.id, actor.id, [entry])
        kind = OutcomeKind.CALLED_OFF if is_new else OutcomeKind.ALREADY
        return DeskOutcome(kind, await self.tools.runs.get(run.id))

    async def unlock(self, actor: Actor, relaunch_id: str) -> DeskOutcome:
        """Take the host away from a run that is lost; the next one has a higher fence, so this one can do nothing.

        Also where the registry has the server no more.
        """
        opened = await self._open(actor, Action.UNLOCK, relaunch_id)
        if isinstance(opened, DeskOutcome):
            return opened
        run = opened.run
        if run.state in TERMINAL:
            return DeskOutcome(OutcomeKind.ALREADY, run, detail=run.detail)
        await self.journal.write(opened.entry(self.tools.clock()))
        await abandon(run.id, f"The host was unlocked by {actor.id}.", self.tools, actor.id)
        return DeskOutcome(OutcomeKind.CALLED_OFF, await self.tools.runs.get(run.id))

    async def list(self, actor: Actor, limit: int = 20) -> tuple[Relaunch, ...]:
        """Return the newest runs that an actor may see."""
        return await self.viewing.list(actor, limit)

    async def show(self, actor: Actor, relaunch_id: str) -> Shown | None:
        """Return one run with its plan and timeline; None for somebody who may not see it."""
        return await self.viewing.show(actor, relaunch_id)

    async def _open(self, actor: Actor, action: Action, relaunch_id: str) -> _Opened | DeskOutcome:
        """Return a run that somebody may do this with, or what keeps them from it, written down."""
        run = await self.tools.runs.get(relaunch_id)
        if action is not Action.UNLOCK and self.permission.target(run.server) is None:
            return _unregistered(run.server)
        act, decision = await self.permission.decide_on_run(actor, action, run)
        return _Opened(run, act, decision) if decision.is_allowed else await self._deny(act, decision, run)

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

    async def _judge(self, actor: Actor, wanted: Wanted, target: Target) -> tuple[Act, Decision]:
        return await self.permission.judge(
            actor, Action.FORCE if wanted.is_forced else Action.REQUEST, target
        )

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
