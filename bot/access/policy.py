"""Roles and what they may, as the registry says. Not for judging an act: that is `authorization`."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.access.actor import Actor

_NOBODY: Mapping[str, frozenset[str]] = MappingProxyType({})
_NAMELESS: Mapping[str, str] = MappingProxyType({})


class Action(StrEnum):
    """What somebody may want of a host."""

    #: see its servers, plans and runs
    VIEW = "view"
    REQUEST = "request"
    APPROVE = "approve"
    REJECT = "reject"
    CANCEL = "cancel"
    #: relaunch a server that still serves
    FORCE = "force"
    #: have lines of its log or facts sent to the channel
    FETCH = "fetch"
    #: ask which other servers would fail the same way
    SWEEP = "sweep"
    #: take the lock off a host whose run is lost
    UNLOCK = "unlock"
    #: turn all relaunching off or on
    SWITCH = "switch"


@dataclass(frozen=True, slots=True)
class Grant:
    """What one role may on one group of hosts."""

    role: str
    actions: frozenset[Action]
    host_groups: frozenset[str]


@dataclass(frozen=True, slots=True)
class Policy:
    """Who has which role, and what each role may. Empty means: nobody, nothing."""

    #: role → ids of actors and of groups
    members: Mapping[str, frozenset[str]] = field(default_factory=lambda: _NOBODY)
    grants: tuple[Grant, ...] = ()
    #: id of an actor → name of the person; one person has several accounts
    persons: Mapping[str, str] = field(default_factory=lambda: _NAMELESS)

    def person(self, actor_id: str) -> str:
        """Return who an account belongs to; an account that nobody listed is a person of its own."""
        return self.persons.get(actor_id, actor_id)

    def roles(self, actor: Actor) -> frozenset[str]:
        """Return the roles of an actor, by their own id or a group of theirs."""
        ids = actor.groups | {actor.id}
        return frozenset(role for role, members in self.members.items() if members & ids)

    def granted(self, actor: Actor, action: Action, host_group: str) -> frozenset[str]:
        """Return the roles that allow an actor an action on a group of hosts."""
        return self.roles(actor) & self.granting(action, host_group)

    def granting(self, action: Action, host_group: str) -> frozenset[str]:
        """Return the roles that allow an action on a group of hosts."""
        return frozenset(
            grant.role for grant in self.grants if action in grant.actions and host_group in grant.host_groups
        )

    @property
    def host_groups(self) -> frozenset[str]:
        """Return all groups of hosts that a grant names."""
        return frozenset[str]().union(*(grant.host_groups for grant in self.grants))

    def members_of(self, roles: frozenset[str]) -> frozenset[str]:
        """Return the ids of all actors and groups that have one of these roles."""
        return frozenset[str]().union(*(self.members.get(role, frozenset()) for role in roles))
