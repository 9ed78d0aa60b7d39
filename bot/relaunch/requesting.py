"""From what somebody wants to a plan that waits for approval: asks gate and host. Not for approving."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol

from adapters.hosts.errors import HostError
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

    from adapters.hosts.interface import Host, Snapshot
    from bot.audit.entry import Entry
    from bot.clock import Clock, NewId
    from bot.hosts.registry import Server
    from bot.relaunch.permission import PresentPermission
    from bot.relaunch.planning.plan import Plan
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

    async def request(
        self, wanted: Wanted, host: str, requester: str, entry: Callable[[Relaunch], Entry]
    ) -> DeskOutcome:
        """Return what comes of a request that is allowed."""
        wish = Relaunch(
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
        joined = await self._join(wish, entry(wish))
        if joined is not None:
            return DeskOutcome(OutcomeKind.JOINED, joined)
        gate = await self.permission.wish(wish, is_forced=wanted.is_forced)
        blocked = may_plan(gate, self.permission.switches(), self.clock())
        if blocked is not None:
            return DeskOutcome(OutcomeKind.BLOCKED, blocked=blocked, detail=blocked.detail)
        kept = await self.runs.add(wish, [entry(wish)])
        # of two requests at once one was faster
        return DeskOutcome(OutcomeKind.JOINED, kept) if kept.id != wish.id else await self._try(kept, wanted)

    async def _try(self, kept: Relaunch, wanted: Wanted) -> DeskOutcome:
        try:
            return await self._plan(kept, wanted)
        except (NotPlannableError, HostError) as error:
            return await self._fail(kept, error.what, error.next_step or "ask again when the host answers")
        except LookupError as error:
            return await self._fail(kept, str(error), "look at the registry of hosts")

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
        blocked = may_plan(gate, self.permission.switches(), self.clock())
        if blocked is not None:
            await self.runs.move(Move(run.id, State.VOIDED, self.clock(), blocked.detail))
            return DeskOutcome(OutcomeKind.BLOCKED, blocked=blocked, detail=blocked.detail)
        await self.runs.move(Move(run.id, State.PLANNED, self.clock()))
        # the number that a run would get now
        fence = max(await self.locks.fence(run.host), snapshot.fence) + 1
        preflight = await host.preflight(Order(run.server, f"{run.id}:preflight", fence), change)
        found = Found(
            host=run.host,
            snapshot=snapshot,
            preflight=preflight,
            is_serving=is_serving,
            vllm_version=version,
            release=release,
            model=server.model,
            usual_start=server.expected_start_seconds,
            always_image=server.probe is ProbeSort.VISION,
        )
        plan = make_plan(self._asked(run, wanted), found, _timeouts(server))
        return await self._offer(run, plan)

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

    async def _fail(self, run: Relaunch, what: str, next_step: str) -> DeskOutcome:
        await self.runs.move(Move(run.id, State.PREFLIGHT_FAILED, self.clock(), f"{what}: {next_step}"))
        kept = await self.runs.get(run.id)
        return DeskOutcome(OutcomeKind.FAILED, kept, detail=what, next_step=next_step)


def _timeouts(server: Server) -> Timeouts:
    return Timeouts(start=max(_SHORTEST_S, _PATIENCE * float(server.expected_start_seconds)))
