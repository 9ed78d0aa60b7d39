"""What is kept of relaunches, as records and protocols. Not how, and not what the states mean.

Each change is one transaction that holds the state, the event of the timeline and the entries of the journal:
what cannot be written down did not happen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from datetime import datetime

    from bot.access.actor import Actor
    from bot.access.authorization import Approval, Decision
    from bot.audit.entry import Entry
    from bot.relaunch.states import State

_EMPTY: Mapping[str, Any] = MappingProxyType({})


class MoveRefusedError(Exception):
    """A run is not where a move begins: somebody else moved it."""

    def __init__(self, relaunch_id: str, state: State, to: State) -> None:
        super().__init__(f"relaunch {relaunch_id} is {state}: it cannot become {to}")
        self.relaunch_id = relaunch_id
        self.state = state
        self.to = to


class UnknownRelaunchError(Exception):
    """No relaunch has this id."""

    def __init__(self, relaunch_id: str) -> None:
        super().__init__(f"there is no relaunch {relaunch_id}: `list` shows those that there are")
        self.relaunch_id = relaunch_id


@dataclass(frozen=True, slots=True)
class Relaunch:
    """A run as it is kept."""

    id: str
    host: str
    server: str
    state: State
    requester: str
    incident_id: str
    fingerprint: str
    asked_at: datetime
    #: where it was asked for and is reported, as JSON
    origin: Mapping[str, Any] = field(default_factory=lambda: _EMPTY)
    #: the plan as JSON; None: it is being made
    plan: Mapping[str, Any] | None = None
    plan_hash: str = ""
    expires_at: datetime | None = None
    held: State | None = None
    fence: int | None = None
    #: who wants it called off; None: nobody
    cancelled_by: str | None = None
    #: one sentence on where it stands
    detail: str = ""
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happened in a run, as its timeline shows it."""

    relaunch_id: str
    #: the same moment has the same key, however often it is told
    key: str
    state: State
    at: datetime
    detail: str = ""
    facts: Mapping[str, Any] = field(default_factory=lambda: _EMPTY)


@dataclass(frozen=True, slots=True)
class Move:
    """A change of state."""

    relaunch_id: str
    to: State
    at: datetime
    detail: str = ""
    facts: Mapping[str, Any] = field(default_factory=lambda: _EMPTY)
    #: written in the same transaction, if the state changes
    entries: tuple[Entry, ...] = ()
    #: a host that did not answer does again; without it, a run whose host is unknown stays so
    host_answers: bool = False
    #: it may only begin here; None: wherever `MOVES` lets it
    begins: State | None = None


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan that is ready to be approved."""

    plan: Mapping[str, Any]
    plan_hash: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Ruling:
    """What comes of one more approval, decided on all of them within the transaction that adds it."""

    decision: Decision
    #: it is the last one that was missing
    is_enough: bool
    entries: tuple[Entry, ...]


class RelaunchStore(Protocol):
    """Runs and their timelines."""

    async def add(self, relaunch: Relaunch, entries: Sequence[Entry] = ()) -> Relaunch:
        """Keep a new run; when its server has an open one, that one comes back and nothing is kept."""

    async def get(self, relaunch_id: str) -> Relaunch:
        """Return one run. Raises `UnknownRelaunchError`."""

    async def move(self, move: Move, planned: Planned | None = None) -> bool:
        """Change a state; False when it is that state already. Raises `MoveRefusedError`.

        A terminal state ends the run and sets its host free in the same transaction.
        """

    async def note(self, moment: Moment, entries: Sequence[Entry] = ()) -> bool:
        """Add a moment that changes no state; False when its key was told before, and nothing is written.

        What it says is where the run stands from then on.
        """

    async def call_off(self, relaunch_id: str, actor_id: str, entries: Sequence[Entry]) -> bool:
        """Keep that somebody wants a run called off; False when it has ended or that was said before."""

    async def moments(self, relaunch_id: str) -> list[Moment]:
        """Return a run's timeline, oldest first."""

    async def recent(self, limit: int) -> list[Relaunch]:
        """Return runs, the one asked for last first."""

    async def unfinished(self) -> list[Relaunch]:
        """Return runs that have not ended, oldest first."""

    async def past(
        self, host: str, person: str, since: datetime, servers: Collection[str] = ()
    ) -> list[Relaunch]:
        """Return runs of this host, person or servers that were asked for since a time, oldest first."""


class ApprovalStore(Protocol):
    """Who approved what."""

    async def approve(
        self,
        actor: Actor,
        move: Move,
        approval: Approval,
        rule: Callable[[Relaunch, tuple[Approval, ...]], Ruling],
    ) -> Ruling:
        """Judge an approval on what is kept; if it is allowed, keep it, and if it is enough, move and queue the run."""

    async def of(self, relaunch_id: str) -> list[tuple[Actor, Approval]]:
        """Return the approvals of a run, oldest first, each with who gave it."""


class LockStore(Protocol):
    """Which run holds which host. A lock has no end of its own: two runs must never meet."""

    async def take(self, host: str, relaunch_id: str, above: int = 0) -> int | None:
        """Return the fence of a run on its host, greater than `above`; None when another run holds the host.

        Asked again by the same run it returns the same fence, unless `above` has reached it.
        """

    async def hold(self, name: str, relaunch_id: str) -> bool:
        """Hold something beside the host until the run ends; False when another run holds it."""

    async def holder(self, host: str) -> str | None:
        """Return the run that holds a host, or what is held beside it."""

    async def fence(self, host: str) -> int:
        """Return the number of the newest run on a host; 0 when there was none."""


@dataclass(frozen=True, slots=True)
class Letter:
    """Something that the engine has to be told."""

    sequence: int
    key: str
    relaunch_id: str
    #: `start`
    kind: str


class Outbox(Protocol):
    """What the engine has not been told yet."""

    async def waiting(self, limit: int) -> list[Letter]:
        """Return letters that were not taken, oldest first."""

    async def taken(self, letter: Letter, at: datetime) -> None:
        """Say that the engine has it."""
