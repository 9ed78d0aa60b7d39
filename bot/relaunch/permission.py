"""Whether what was approved may still be done, by today's roles, switches and history. Not the judging itself."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot.access.authorization import Approval, Authorizer, Request, lost_target
from bot.access.groups import MEMORY_S, PresentGroups
from bot.access.policy import Action
from bot.hosts.guess import replicas
from bot.hosts.maintenance import lifts
from bot.relaunch.acts.deciding import Act
from bot.relaunch.gating.gate import may_run, switched_off
from bot.relaunch.gating.wish import PastRun, Wish
from bot.relaunch.interface import GroupsUnknownError
from bot.relaunch.states import TOUCHED, State

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.access.actor import Actor
    from bot.access.authorization import Decision, Target
    from bot.clock import Clock
    from bot.hosts.guess import Candidate
    from bot.hosts.registry import Host, Registry, Server
    from bot.relaunch.acts.switching import KillSwitch
    from bot.relaunch.gating.wish import Switches
    from bot.relaunch.planning.plan import Plan
    from bot.relaunch.states import Blocked
    from bot.store.relaunches.interface import ApprovalStore, Relaunch, RelaunchStore

#: as far back as the gate remembers
_MEMORY: Final = timedelta(hours=25)
_TOUCHED: Final = TOUCHED | {State.COMMITTED, State.ROLLED_BACK, State.ROLLBACK_FAILED}


@dataclass(frozen=True, slots=True)
class PresentPermission:
    """Asks registry and switches as they are now; meets `Permission`."""

    runs: RelaunchStore
    approvals: ApprovalStore
    registry: Callable[[], Registry]
    #: as the settings say
    switches: Callable[[], Switches]
    kill_switch: KillSwitch
    clock: Clock
    groups: PresentGroups = field(default_factory=PresentGroups)

    @property
    def authorizer(self) -> Authorizer:
        """Return the judge of today's policy."""
        return Authorizer(self.registry().policy)

    def find(self, server: str) -> tuple[Host, Server] | None:
        """Return a server and its machine, if the registry has them and the entry has not expired."""
        found = self.registry().find(server)
        return None if found is None or found[0].has_expired(self.clock().date()) else found

    def target(self, server: str) -> Target | None:
        """Return what authorization asks of a server; None for one that is not registered."""
        found = self.find(server)
        return found[0].target(found[1]) if found is not None else None

    async def known(self, actor: Actor, action: Action, target: Target) -> Actor:
        """Return an actor with the groups that an act of theirs hangs on, asked for unless it is allowed already."""
        among = self.authorizer.deciding_groups(actor, action, target)
        return await self.groups.completed(actor, among, MEMORY_S)

    async def decide(self, actor: Actor, action: Action, target: Target) -> Decision:
        """Judge an act that needs no plan, by the groups that somebody is in."""
        return (await self.judge(actor, action, target))[1]

    async def among(
        self, found: tuple[Candidate, ...], actor: Actor, action: Action
    ) -> tuple[Candidate, ...]:
        """Return those of some servers with which somebody may do this."""
        may = [(await self.decide(actor, action, one.host.target(one.server))).is_allowed for one in found]
        return tuple(one for one, is_allowed in zip(found, may, strict=True) if is_allowed)

    async def judge(self, actor: Actor, action: Action, target: Target) -> tuple[Act, Decision]:
        """Return what somebody wants, with the groups it hangs on, and whether they may."""
        known = await self.known(actor, action, target)
        return Act(known, action, target), self.authorizer.decide(known, action, target)

    async def decide_on_run(self, actor: Actor, action: Action, run: Relaunch) -> tuple[Act, Decision]:
        """Judge an act on a run, whose server may have left the registry since.

        Then it is judged by its host's group, and where that has left too, by all groups that there are.
        """
        target = self.target(run.server)
        if target is not None:
            return await self.judge(actor, action, target)
        registry = self.registry()
        host = registry.host(run.host)
        lost = lost_target(run.server, run.host)
        groups = registry.policy.host_groups if host is None else frozenset({host.group})
        return Act(actor, action, lost), self.authorizer.decide_on_lost(actor, action, lost, groups)

    async def withdrawn(self, relaunch: Relaunch, plan: Plan) -> str | None:
        """Return why the approvals of a plan no longer hold, one sentence; None when they do.

        Raises `GroupsUnknownError` when that hangs on groups, and a platform does not tell who is in them.
        """
        target = self.target(relaunch.server)
        if target is None or target.host != relaunch.host:
            return f"The registry no longer has {relaunch.server} on {relaunch.host}."
        if plan.hash != relaunch.plan_hash:
            return "The plan is not the one that was approved."
        given = await self.approvals.of(relaunch.id)
        people = [await self._as_of_now(actor, target) for actor, _ in given]
        valid = tuple(
            approval
            for actor, (_, approval) in zip(people, given, strict=True)
            if self.authorizer.decide(actor, Action.APPROVE, target).is_allowed
        )
        if self.authorizer.is_approved(request_of(relaunch, valid), target, self.clock()):
            return None
        silent = next((actor.silence for actor in people if actor.silence), "")
        if silent:
            raise GroupsUnknownError(silent)
        if len(valid) < len(given):
            return "Somebody who approved may no longer approve."
        return "It no longer has the approvals that the server needs."

    async def _as_of_now(self, actor: Actor, target: Target) -> Actor:
        """Return who approved with the groups that they are in now; those of their press are old."""
        bare = replace(actor, groups=frozenset())
        among = self.authorizer.deciding_groups(bare, Action.APPROVE, target)
        return await self.groups.completed(bare, among, 0.0)

    async def blocked(self, relaunch: Relaunch, plan: Plan) -> Blocked | None:
        """Return why it has to wait."""
        if self.find(relaunch.server) is None:
            # no waiting brings it back: its approvals count no more
            return None
        wish = await self.wish(relaunch, is_forced=plan.is_forced)
        return may_run(wish, await self.present_switches(), self.clock())

    async def switched_off(self) -> Blocked | None:
        """Return that nothing may be begun, if that is so."""
        return switched_off(await self.present_switches())

    async def present_switches(self) -> Switches:
        """Return what the settings say, and whether somebody turned relaunching off since."""
        off = await self.kill_switch.state()
        return replace(self.switches(), turned_off=str(off) if off is not None else "")

    def one_at_a_time(self, relaunch: Relaunch) -> str | None:
        """Return the name of what only one server of a model in a group may hold; None for an unregistered one."""
        found = self.find(relaunch.server)
        return replica_lock(found[0].group, found[1].model) if found is not None else None

    async def wish(self, relaunch: Relaunch, *, is_serving: bool = False, is_forced: bool = False) -> Wish:
        """Return what the gate is asked about a run."""
        found, now = self.find(relaunch.server), self.clock()
        others = frozenset(replicas(self.registry(), *found) if found is not None else ()) - {relaunch.server}
        past = await self.runs.past(relaunch.host, relaunch.requester, now - _MEMORY, others)
        return Wish(
            id=relaunch.id,
            host=relaunch.host,
            server=relaunch.server,
            person=relaunch.requester,
            fingerprint=relaunch.fingerprint,
            per_hour=found[1].relaunches_per_hour if found is not None else 0,
            maintenance_ends=lifts(found[1].maintenance, now) if found is not None else None,
            is_serving=is_serving,
            is_forced=is_forced,
            past=[past_run(run) for run in past],
            fix=str(relaunch.origin.get("fix", "")),
            replicas=others,
            asked_at=relaunch.asked_at,
        )


def replica_lock(group: str, model: str) -> str:
    """Return the name of the lock of a model's servers, which no host can have."""
    return "replicas " + hashlib.sha256(f"{group}\0{model}".encode()).hexdigest()[:32]


def request_of(relaunch: Relaunch, approvals: tuple[Approval, ...]) -> Request:
    """Return what authorization is asked about a run."""
    expires_at = relaunch.expires_at or relaunch.asked_at
    return Request(relaunch.requester, relaunch.plan_hash, expires_at, approvals)


def past_run(relaunch: Relaunch) -> PastRun:
    """Return a run as the gate remembers it."""
    return PastRun(
        id=relaunch.id,
        host=relaunch.host,
        server=relaunch.server,
        person=relaunch.requester,
        fingerprint=relaunch.fingerprint,
        state=relaunch.state,
        asked_at=relaunch.asked_at,
        ended_at=relaunch.ended_at,
        touched=(relaunch.held or relaunch.state) in _TOUCHED,
        fix=str(relaunch.origin.get("fix", "")),
        has_plan=bool(relaunch.plan_hash),
    )
