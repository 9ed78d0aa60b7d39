"""From what somebody wants to a plan that waits for approval: asks gate and host. Not for approving."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol

from adapters.hosts.errors import HostError, RefusedError
from adapters.hosts.interface import Order, ProbeKind, RunState
from bot.hosts.registry import ProbeSort
from bot.relaunch.gate import may_plan
from bot.relaunch.outcomes import DeskOutcome, OutcomeKind
from bot.relaunch.planning.plan import Timeouts, plan_to_json
from bot.relaunch.planning.planning import Asked, Found, NotPlannableError, change_of, make_plan
from bot.relaunch.states import State
from bot.store.relaunches.interface import Move, Planned, Relaunch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from adapters.hosts.interface import Host, LaunchChange, Snapshot
    from bot.audit.entry import Entry
    from bot.clock import Clock, NewId
    from bot.hosts.registry import Server
    from bot.relaunch.permission import PresentPermission
    from bot.relaunch.planning.plan import Plan
    from bot.relaunch.states import Blocked
    from bot.store.relaunches.interface import LockStore, RelaunchStore
    from rules.engine.report import Remedy
    from rules.releases.release import Release

_OK: Final = 200
_PROBE_S: Final = 10.0
#: a start is waited for so many times its usual length, and at least so long
_PATIENCE: Final = 3
_SHORTEST_S: Final = 600.0
_NOWHERE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody wants done to a server."""

    server: str
    remedy: Remedy
    incident: str
    fingerprint: str
    rule: str
    rule_version: int
    #: the change concerns the encoder for images
    is_vision: bool = False
    #: although the server serves
    is_forced: bool = False
    #: where it was asked for and is reported, as JSON
    origin: Mapping[str, Any] = field(default_factory=lambda: _NOWHERE)


class ReleaseFacts(Protocol):
    """What is shipped of the releases of vLLM."""

    def release(self, version: str) -> Release | None:
        """Return the facts of a release; None where they are not shipped."""


@dataclass(frozen=True, slots=True)
class _Looked:
    """What host and gate said, before the host is asked about the change itself."""

    server: Server
    snapshot: Snapshot
    change: LaunchChange
    is_serving: bool
    version: str | None
    release: Release | None
    #: it is known which GPU it runs on
    has_gpu: bool
    blocked: Blocked | None


@dataclass(frozen=True, slots=True)
class Requesting:
    """Makes plans."""

    runs: RelaunchStore
    locks: LockStore
    permission: PresentPermission
    #: the host of a name. Raises `LookupError`
    host: Callable[[str], Host]
    releases: ReleaseFacts
    clock: Clock
    new_id: NewId
    #: how long a plan may be approved
    life: timedelta = timedelta(minutes=30)
    #: seconds between the first and the second look at a healthy server
    soak_s: float = Timeouts().soak
    #: seconds that a start may take at most, however slow the server usually is
    longest_start_s: float = Timeouts().start

    async def preview(self, wanted: Wanted, host: str, requester: str) -> DeskOutcome:
        """Return the plan that a request would make, and what would hold it back; nothing is kept."""
        wish = self._wish(wanted, host, requester)
        try:
            looked = await self._look(wish, wanted)
            plan = await self._draft(wish, wanted, looked)
        except (NotPlannableError, HostError, LookupError) as error:
            return _failed(error)
        return DeskOutcome(OutcomeKind.PLANNED, plan=plan, blocked=looked.blocked)

    async def request(
        self, wanted: Wanted, host: str, requester: str, entry: Callable[[Relaunch], Entry]
    ) -> DeskOutcome:
        """Return what comes of a request that is allowed."""
        wish = self._wish(wanted, host, requester)
        joined = await self._join(wish, entry(wish))
        if joined is not None:
            return DeskOutcome(OutcomeKind.JOINED, joined)
        gate = await self.permission.wish(wish, is_forced=wanted.is_forced)
        blocked = may_plan(gate, await self.permission.present_switches(), self.clock())
        if blocked is not None:
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
        detail = f"{failed.detail}: {failed.next_step}"
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
            await self.runs.move(Move(run.id, State.VOIDED, self.clock(), detail, entries=(entry,)))
        return None

    async def _plan(self, run: Relaunch, wanted: Wanted) -> DeskOutcome:
        looked = await self._look(run, wanted)
        if looked.blocked is not None:
            await self.runs.move(Move(run.id, State.VOIDED, self.clock(), looked.blocked.detail))
            return DeskOutcome(OutcomeKind.BLOCKED, blocked=looked.blocked, detail=looked.blocked.detail)
        await self.runs.move(Move(run.id, State.PLANNED, self.clock()))
        return await self._offer(run, await self._draft(run, wanted, looked))

    async def _look(self, run: Relaunch, wanted: Wanted) -> _Looked:
        registered = self.permission.find(run.server)
        if registered is None:
            raise NotPlannableError(f"{run.server} is not registered", "look at the registry of hosts")
        server, host = registered[1], self.host(run.host)
        facts = await host.facts()
        version = facts.vllm_versions.get(run.server) or server.vllm_version
        release = self.releases.release(version) if version else None
        change = change_of(wanted.remedy, release)
        snapshot = await host.snapshot(run.server)
        is_serving = await self._is_serving(host, snapshot, server)
        gate = await self.permission.wish(run, is_serving=is_serving, is_forced=wanted.is_forced)
        blocked = may_plan(gate, await self.permission.present_switches(), self.clock())
        has_gpu = server.gpu_name is not None or bool(facts.gpus)
        return _Looked(server, snapshot, change, is_serving, version, release, has_gpu, blocked)

    async def _draft(self, run: Relaunch, wanted: Wanted, looked: _Looked) -> Plan:
        server, snapshot = looked.server, looked.snapshot
        # the number that a run would get now
        fence = max(await self.locks.fence(run.host), snapshot.fence) + 1
        order = Order(run.server, f"{run.id}:preflight", fence)
        preflight = await self.host(run.host).preflight(order, looked.change)
        found = Found(
            host=run.host,
            snapshot=snapshot,
            preflight=preflight,
            is_serving=looked.is_serving,
            vllm_version=looked.version,
            release=looked.release,
            model=server.model,
            usual_start=server.expected_start_seconds,
            always_image=server.probe is ProbeSort.VISION,
            has_gpu=looked.has_gpu,
        )
        return make_plan(self._asked(run, wanted), found, self._timeouts(server))

    async def _offer(self, run: Relaunch, plan: Plan) -> DeskOutcome:
        kept = Planned(plan_to_json(plan), plan.hash, plan.expires_at)
        await self.runs.move(Move(run.id, State.PREFLIGHT_OK, self.clock()), kept)
        await self.runs.move(Move(run.id, State.AWAITING_APPROVAL, self.clock()))
        return DeskOutcome(OutcomeKind.PLANNED, await self.runs.get(run.id), plan)

    async def _is_serving(self, host: Host, snapshot: Snapshot, server: Server) -> bool:
        if snapshot.state is not RunState.RUNNING:
            return False
        answer = await host.probe(server.name, ProbeKind.HEALTH, server.model, _PROBE_S)
        return answer.status == _OK

    def _asked(self, run: Relaunch, wanted: Wanted) -> Asked:
        return Asked(
            id=run.id,
            nonce=self.new_id(),
            remedy=wanted.remedy,
            incident=wanted.incident,
            fingerprint=wanted.fingerprint,
            rule=wanted.rule,
            rule_version=wanted.rule_version,
            is_vision=wanted.is_vision,
            is_forced=wanted.is_forced,
            made_at=run.asked_at,
            expires_at=self.clock() + self.life,
        )

    def _timeouts(self, server: Server) -> Timeouts:
        usual = max(_SHORTEST_S, _PATIENCE * float(server.expected_start_seconds))
        return Timeouts(start=min(usual, self.longest_start_s), soak=self.soak_s)


def _failed(error: NotPlannableError | HostError | LookupError) -> DeskOutcome:
    if isinstance(error, LookupError):
        return DeskOutcome(OutcomeKind.FAILED, detail=str(error), next_step="look at the registry of hosts")
    return DeskOutcome(
        OutcomeKind.FAILED,
        detail=error.what,
        next_step=error.next_step or "ask again when the host answers",
        is_unreachable=not isinstance(error, (NotPlannableError, RefusedError)),
    )
