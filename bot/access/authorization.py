"""Whether an act on a host is allowed: one place for messages, buttons, forms, pages and commands.

It fails closed: what no list allows is refused. Asked at the click and again right before the act.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from bot.access.actor import GROUP_ID
from bot.access.policy import Action

if TYPE_CHECKING:
    from datetime import datetime

    from bot.access.actor import Actor
    from bot.access.policy import Policy


class Refusal(StrEnum):
    """Why somebody may not."""

    BOT = "bot"
    NO_ROLE = "no-role"
    #: a group of theirs might allow it, and the platform did not say which they are in
    GROUPS_UNKNOWN = "groups-unknown"
    OPERATION = "operation"
    CHANNEL = "channel"
    NOT_AN_APPROVER = "not-an-approver"
    OWN_REQUEST = "own-request"
    TWICE = "twice"
    EXPIRED = "expired"
    OTHER_PLAN = "other-plan"


#: what a server's entry must list before the action is possible at all
OPERATIONS: Final = {
    Action.REQUEST: "relaunch",
    Action.APPROVE: "relaunch",
    Action.REJECT: "relaunch",
    Action.CANCEL: "relaunch",
    Action.FORCE: "relaunch",
    Action.FETCH: "fetch",
    Action.SWEEP: "sweep",
}


@dataclass(frozen=True, slots=True)
class Target:
    """What the registry says of the server that an act is about."""

    server: str
    host: str
    host_group: str
    is_production: bool
    operations: frozenset[str]
    #: roles whose members may approve
    approvers: frozenset[str]
    approvals_needed: int
    #: channels where it may be acted on, as `slack:TEAM:CHANNEL` or `discord:GUILD:CHANNEL`
    channels: frozenset[str]
    requester_may_approve: bool = False


@dataclass(frozen=True, slots=True)
class Approval:
    """One person's word for one plan."""

    actor_id: str
    plan_hash: str
    is_signed_in: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class Request:
    """What waits for approval."""

    requester_id: str
    plan_hash: str
    expires_at: datetime
    approvals: tuple[Approval, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether an act is allowed, by which role, or why not."""

    refusal: Refusal | None
    role: str = ""

    @property
    def is_allowed(self) -> bool:
        """Tell whether nothing refuses it."""
        return self.refusal is None


@dataclass(frozen=True, slots=True)
class Sight:
    """What an actor saw when they decided: which plan, and when."""

    plan_hash: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Authorizer:
    """Judges acts by one policy."""

    policy: Policy

    def decide(self, actor: Actor, action: Action, target: Target) -> Decision:
        """Judge an act that needs no plan; for one that does, `decide_on_plan` asks this first."""
        refusal = _out_of_bounds(actor, action, target)
        if refusal is not None:
            return Decision(refusal)
        roles = self.policy.granted(actor, action, target.host_group)
        fitting = roles & target.approvers if action is Action.APPROVE else roles
        if fitting:
            return Decision(None, min(fitting))
        if actor.silence:
            return Decision(Refusal.GROUPS_UNKNOWN)
        return Decision(Refusal.NOT_AN_APPROVER if roles else Refusal.NO_ROLE)

    def deciding_groups(self, actor: Actor, action: Action, target: Target) -> frozenset[str]:
        """Return the groups that would allow an actor what their own id does not.

        None for an act that is allowed already, or refused whatever the groups.
        """
        decision = self.decide(actor, action, target)
        if decision.refusal not in {Refusal.NO_ROLE, Refusal.NOT_AN_APPROVER}:
            return frozenset()
        roles = self.policy.granting(action, target.host_group)
        fitting = roles & target.approvers if action is Action.APPROVE else roles
        return frozenset(one for one in self.policy.members_of(fitting) if GROUP_ID.fullmatch(one))

    def decide_on_lost(
        self, actor: Actor, action: Action, target: Target, host_groups: frozenset[str]
    ) -> Decision:
        """Judge an act on a server that the registry does not have, by a grant on each of these groups."""
        decisions = [
            self.decide(actor, action, replace(target, host_group=group)) for group in sorted(host_groups)
        ]
        refused = (decision for decision in decisions if not decision.is_allowed)
        return next(refused, decisions[0] if decisions else Decision(Refusal.NO_ROLE))

    def decide_on_switch(self, actor: Actor, host_groups: frozenset[str], *, on: bool) -> Decision:
        """Judge the wish to turn all relaunching off or on; `host_groups` are those of all hosts.

        Off is safe, so a grant on any of them will do; on takes one on each. Only who is signed in may do either.
        """
        if actor.is_bot:
            return Decision(Refusal.BOT)
        if not actor.is_signed_in:
            return Decision(Refusal.CHANNEL)
        granting = [self.policy.granted(actor, Action.SWITCH, group) for group in sorted(host_groups)]
        is_granted = bool(granting) and (all(granting) if on else any(granting))
        return Decision(None, min(frozenset().union(*granting))) if is_granted else Decision(Refusal.NO_ROLE)

    def decide_on_plan(
        self, actor: Actor, action: Action, target: Target, request: Request, sight: Sight
    ) -> Decision:
        """Judge an act on a plan that waits."""
        decision = self.decide(actor, action, target)
        if not decision.is_allowed:
            return decision
        if sight.plan_hash != request.plan_hash:
            return Decision(Refusal.OTHER_PLAN)
        refusal = self._no_approval(actor, target, request, sight.at) if action is Action.APPROVE else None
        return Decision(refusal) if refusal is not None else decision

    def is_approved(self, request: Request, target: Target, now: datetime) -> bool:
        """Tell whether a plan has all the approvals that its server needs, and has not expired.

        Asked when somebody approves and again right before the act: a role that was taken away since then is
        the caller's to ask `decide` about.
        """
        is_sound = target.approvals_needed > 0 and now < request.expires_at
        return is_sound and self.approvals_missing(request, target) == 0

    def approvals_missing(self, request: Request, target: Target) -> int:
        """Return how many more people have to approve.

        Production needs more than one chat account: a second person, or one who is signed in.
        """
        valid = self._valid(request, target)
        missing = max(0, target.approvals_needed - len(valid))
        is_alone = len(valid) == 1 and not valid[0].is_signed_in
        return 1 if missing == 0 and target.is_production and is_alone else missing

    def _no_approval(self, actor: Actor, target: Target, request: Request, now: datetime) -> Refusal | None:
        """Return why somebody who is an approver may not approve this plan."""
        if now >= request.expires_at:
            return Refusal.EXPIRED
        person = self.policy.person(actor.id)
        if person == self.policy.person(request.requester_id) and not target.requester_may_approve:
            return Refusal.OWN_REQUEST
        known = [one for one in request.approvals if self.policy.person(one.actor_id) == person]
        is_proof = actor.is_signed_in and not any(one.is_signed_in for one in known)
        return Refusal.TWICE if known and not is_proof else None

    def _valid(self, request: Request, target: Target) -> tuple[Approval, ...]:
        """Return the approvals that count: for this plan, one per person, not the requester's own."""
        requester = self.policy.person(request.requester_id)
        counted: dict[str, Approval] = {}
        for one in request.approvals:
            person = self.policy.person(one.actor_id)
            is_own = person == requester and not target.requester_may_approve
            if one.plan_hash != request.plan_hash or is_own:
                continue
            if person not in counted or one.is_signed_in:
                counted[person] = one
        return tuple(counted.values())


def lost_target(server: str, host: str) -> Target:
    """Return a server that the registry does not have: nothing may be done to it, and from no chat."""
    nothing: frozenset[str] = frozenset()
    return Target(
        server,
        host,
        "",
        is_production=False,
        operations=nothing,
        approvers=nothing,
        approvals_needed=1,
        channels=nothing,
    )


def _out_of_bounds(actor: Actor, action: Action, target: Target) -> Refusal | None:
    """Return why nobody could do this from there, whatever their role."""
    if actor.is_bot:
        return Refusal.BOT
    if action is Action.SWITCH:
        # it is about no server: `decide_on_switch` judges it
        return Refusal.OPERATION
    operation = OPERATIONS.get(action)
    if operation is not None and operation not in target.operations:
        return Refusal.OPERATION
    if not actor.is_signed_in and actor.channel not in target.channels:
        return Refusal.CHANNEL
    return None
