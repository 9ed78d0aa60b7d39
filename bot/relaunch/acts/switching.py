"""Turns relaunching off and on for all hosts at once, while the bots run. Not for single runs: those are called off.

It is kept in the store, so that every bot on it heeds it from then on, whatever its settings say and without a restart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from bot.access.authorization import Authorizer
from bot.access.policy import Action
from bot.audit.entry import Entry, Stage
from bot.relaunch.running.record import plain

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from bot.access.actor import Actor
    from bot.access.authorization import Refusal
    from bot.audit.interface import Journal
    from bot.clock import Clock
    from bot.hosts.registry import Registry

_LONGEST: Final = 200


@dataclass(frozen=True, slots=True)
class SwitchedOff:
    """Who turned it off, when and why."""

    by: str
    at: datetime
    why: str = ""

    def __str__(self) -> str:
        said = f": {self.why.rstrip('.')}" if self.why else ""
        return (
            f"Relaunching was switched off by {self.by} at {self.at:%H:%M} UTC on {self.at:%Y-%m-%d}{said}."
        )


class KillSwitch(Protocol):
    """The switch as it is kept."""

    async def state(self) -> SwitchedOff | None:
        """Return who turned it off; None: it is on."""

    async def turn_off(self, off: SwitchedOff, entry: Entry) -> bool:
        """Turn it off and write it down; False when it was off already: that stays as it is, and is written down."""

    async def turn_on(self, entry: Entry) -> bool:
        """Turn it on and write it down; False when it was on already."""


@dataclass(frozen=True, slots=True)
class Switching:
    """Takes the wish to turn it."""

    registry: Callable[[], Registry]
    switch: KillSwitch
    journal: Journal
    clock: Clock

    async def turn(self, actor: Actor, *, on: bool, why: str = "") -> bool | Refusal:
        """Turn it and tell whether that changed anything, or why somebody may not."""
        registry, now = self.registry(), self.clock()
        groups = frozenset(host.group for host in registry.hosts)
        decision = Authorizer(registry.policy).decide_on_switch(actor, groups, on=on)
        reason = plain(why)[:_LONGEST]
        detail = f"{'on' if on else 'off'}{f': {reason}' if reason else ''}"
        entry = Entry(
            at=now,
            stage=Stage.DECISION,
            act=Action.SWITCH.value,
            actor=actor.id,
            outcome="allowed" if decision.is_allowed else "refused",
            role=decision.role,
            source=actor.source,
            detail=decision.refusal.value if decision.refusal is not None else detail,
        )
        if decision.refusal is not None:
            await self.journal.write(entry)
            return decision.refusal
        if on:
            return await self.switch.turn_on(entry)
        return await self.switch.turn_off(SwitchedOff(actor.id, now, reason), entry)
