"""From what somebody wants to a plan that is kept and waits for approval. Not for making it, nor for approving."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adapters.hosts.errors import HostError, RefusedError
from bot.relaunch.gating.gate import dry_run, may_plan
from bot.relaunch.outcomes import DeskOutcome, OutcomeKind
from bot.relaunch.planning.plan import plan_to_json
from bot.relaunch.planning.planning import NotPlannableError
from bot.relaunch.sentences import sentence
from bot.relaunch.states import BlockReason, State
from bot.store.relaunches.interface import Move, MoveRefusedError, Planned, Relaunch

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.audit.entry import Entry
    from bot.clock import Clock, NewId
    from bot.relaunch.permission import PresentPermission
    from bot.relaunch.planning.drafting import Drafting
    from bot.relaunch.planning.plan import Plan
    from bot.relaunch.planning.wanted import Wanted
    from bot.store.relaunches.interface import RelaunchStore


@dataclass(frozen=True, slots=True)
class Requesting:
    """Makes plans."""

    runs: RelaunchStore
    permission: PresentPermission
    drafting: Drafting
    clock: Clock
    new_id: NewId

    async def preview(self, wanted: Wanted, host: str, requester: str) -> DeskOutcome:
        """Return the plan that a request would make, and what would hold it back; nothing is kept."""
        wish = self._wish(wanted, host, requester)
        try:
            looked = await self.drafting.look(wish, wanted)
            plan = await self.drafting.draft(wish, wanted, looked)
        except (NotPlannableError, HostError, LookupError) as error:
            return _failed(error)
        blocked = looked.blocked or dry_run(await self.permission.present_switches())
        return DeskOutcome(OutcomeKind.PLANNED, plan=plan, blocked=blocked)

    async def request(
        self, wanted: Wanted, host: str, requester: str, entry: Callable[[Relaunch], Entry]
    ) -> DeskOutcome:
        """Return what comes of a request that is allowed."""
        try:
            return await self._request(self._wish(wanted, host, requester), wanted, entry)
        except MoveRefusedError as error:
            # somebody called it off, or approved what it was to replace, while it was planned
            kept = await self.runs.get(error.relaunch_id)
            return DeskOutcome(OutcomeKind.ALREADY, kept, detail=kept.detail)

    async def _request(
        self, wish: Relaunch, wanted: Wanted, entry: Callable[[Relaunch], Entry]
    ) -> DeskOutcome:
        joined = await self._join(wish, entry(wish))
        if joined is not None:
            return DeskOutcome(OutcomeKind.JOINED, joined)
        gate = await self.permission.wish(wish, is_forced=wanted.is_forced)
        blocked = may_plan(gate, await self.permission.present_switches(), self.clock())
        # one that was kept after the look for one to join is joined below
        if blocked is not None and blocked.reason is not BlockReason.DUPLICATE:
            return DeskOutcome(OutcomeKind.BLOCKED, blocked=blocked, detail=blocked.detail)
        kept = await self.runs.add(wish, [entry(wish)])
        # of two requests at once one was faster
        return DeskOutcome(OutcomeKind.JOINED, kept) if kept.id != wish.id else await self._try(kept, wanted)

    def _wish(self, wanted: Wanted, host: str, requester: str) -> Relaunch:
        return Relaunch(
            id=self.new_id(),
            host=host,
            server=wanted.server,
            state=State.REQUESTED,
            requester=requester,
            incident_id=wanted.incident,
            fingerprint=wanted.fingerprint,
            asked_at=self.clock(),
            origin={**wanted.origin, "fix": wanted.remedy.id},
        )

    async def _try(self, kept: Relaunch, wanted: Wanted) -> DeskOutcome:
        try:
            return await self._plan(kept, wanted)
        except (NotPlannableError, HostError, LookupError) as error:
            failed = _failed(error)
        detail = sentence(f"{failed.detail}: {failed.next_step}")
        await self.runs.move(Move(kept.id, State.PREFLIGHT_FAILED, self.clock(), detail))
        return replace(failed, relaunch=await self.runs.get(kept.id))

    async def _join(self, wish: Relaunch, entry: Entry) -> Relaunch | None:
        """Return the open run of a server, unless it waits for approval of another change, which is void then."""
        for run in await self.runs.unfinished():
            if (run.host, run.server) != (wish.host, wish.server):
                continue
            is_same = run.fingerprint == wish.fingerprint and run.origin.get("fix") == wish.origin["fix"]
            if run.state is not State.AWAITING_APPROVAL or is_same:
                return run
            detail = "There are new facts: a newer plan takes its place."
            move = Move(run.id, State.VOIDED, self.clock(), detail, entries=(entry,), begins=run.state)
            await self.runs.move(move)
        return None

    async def _plan(self, run: Relaunch, wanted: Wanted) -> DeskOutcome:
        looked = await self.drafting.look(run, wanted)
        if looked.blocked is not None:
            await self.runs.move(Move(run.id, State.VOIDED, self.clock(), looked.blocked.detail))
            return DeskOutcome(OutcomeKind.BLOCKED, blocked=looked.blocked, detail=looked.blocked.detail)
        await self.runs.move(Move(run.id, State.PLANNED, self.clock()))
        return await self._offer(run, await self.drafting.draft(run, wanted, looked))

    async def _offer(self, run: Relaunch, plan: Plan) -> DeskOutcome:
        kept = Planned(plan_to_json(plan), plan.hash, plan.expires_at)
        await self.runs.move(Move(run.id, State.PREFLIGHT_OK, self.clock()), kept)
        # whoever shows the run shows this with it, so that nobody waits for an approval that cannot be given
        held = dry_run(await self.permission.present_switches())
        detail = f"Made under dry run: it can be approved {held.lifts_when}." if held is not None else ""
        await self.runs.move(Move(run.id, State.AWAITING_APPROVAL, self.clock(), detail))
        return DeskOutcome(OutcomeKind.PLANNED, await self.runs.get(run.id), plan)


def _failed(error: NotPlannableError | HostError | LookupError) -> DeskOutcome:
    if isinstance(error, LookupError):
        return DeskOutcome(OutcomeKind.FAILED, detail=str(error), next_step="look at the registry of hosts")
    return DeskOutcome(
        OutcomeKind.FAILED,
        detail=error.what,
        next_step=error.next_step or "ask again when the host answers",
        is_unreachable=not isinstance(error, (NotPlannableError, RefusedError)),
    )
