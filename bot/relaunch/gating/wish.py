"""What the gate is asked: a wish, what happened before it, and what the operator set. Not for judging it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from bot.relaunch.states import State

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

#: ends of what was refused, where no plan stood
_REFUSED: Final = frozenset({State.PREFLIGHT_FAILED, State.VOIDED})


@dataclass(frozen=True, slots=True)
class Switches:
    """What the operator set."""

    is_enabled: bool = False
    is_dry_run: bool = True
    per_person_an_hour: int = 6
    #: one sentence on who turned relaunching off while the bots ran; empty: nobody did
    turned_off: str = ""


@dataclass(frozen=True, slots=True)
class PastRun:
    """A relaunch that was asked for earlier, in so far as it matters to the next."""

    id: str
    host: str
    server: str
    person: str
    fingerprint: str
    state: State
    asked_at: datetime
    #: None: it goes on
    ended_at: datetime | None
    #: it came as far as touching the server
    touched: bool
    #: what was to be changed
    fix: str = ""
    #: it came as far as a plan
    has_plan: bool = True

    @property
    def was_refused(self) -> bool:
        """Tell whether it ended before there was anything to approve."""
        return self.state in _REFUSED and not self.has_plan


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted now."""

    id: str
    host: str
    server: str
    person: str
    fingerprint: str
    #: relaunches that the server may have in an hour
    per_hour: int
    #: when the maintenance window that is open now ends; None: none is open
    maintenance_ends: datetime | None = None
    is_serving: bool = False
    is_forced: bool = False
    #: earlier relaunches of this host, of replicas and of this person, in any order
    past: Sequence[PastRun] = field(default=())
    #: what is to be changed
    fix: str = ""
    #: the other servers of the same model in the same group
    replicas: frozenset[str] = frozenset()
    #: None: now
    asked_at: datetime | None = None
