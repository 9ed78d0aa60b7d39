"""Asks gate and host about what somebody wants, and makes the plan of it. Not for keeping plans."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final, Protocol

from adapters.hosts.records import Order, ProbeKind, RunState
from bot.hosts.registry import ProbeSort
from bot.relaunch.gating.gate import may_plan
from bot.relaunch.planning.plan import Timeouts
from bot.relaunch.planning.planning import Asked, Found, NotPlannableError, change_of, make_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.hosts.interface import Host
    from adapters.hosts.records import LaunchChange, Snapshot
    from bot.clock import Clock, NewId
    from bot.hosts.registry import Server
    from bot.relaunch.permission import PresentPermission
    from bot.relaunch.planning.plan import Plan
    from bot.relaunch.planning.wanted import Wanted
    from bot.relaunch.states import Blocked
    from bot.store.relaunches.interface import LockStore, Relaunch
    from rules.releases.release import Release

_OK: Final = 200
_PROBE_S: Final = 10.0
#: a start is waited for so many times its usual length, and at least so long
_PATIENCE: Final = 3
_SHORTEST_S: Final = 600.0


class ReleaseFacts(Protocol):
    """What is shipped of the releases of vLLM."""

    def release(self, version: str) -> Release | None:
        """Return the facts of a release; None where they are not shipped."""


@dataclass(frozen=True, slots=True)
class Looked:
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
class Drafting:
    """Makes plans. Raises `NotPlannableError`, `HostError`, `LookupError`."""

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

    async def look(self, run: Relaunch, wanted: Wanted) -> Looked:
        """Return what gate and host say of a run as it would be."""
        registered = self.permission.find(run.server)
        if registered is None:
            raise NotPlannableError(f"no server {run.server} is registered", "look at the registry of hosts")
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
        return Looked(server, snapshot, change, is_serving, version, release, has_gpu, blocked)

    async def draft(self, run: Relaunch, wanted: Wanted, looked: Looked) -> Plan:
        """Return the plan of a run; the host is asked whether it could be made."""
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

    async def _is_serving(self, host: Host, snapshot: Snapshot, server: Server) -> bool:
        if snapshot.state is not RunState.RUNNING:
            return False
        (answer,) = await host.probe(server.name, (ProbeKind.HEALTH,), server.model, _PROBE_S)
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
