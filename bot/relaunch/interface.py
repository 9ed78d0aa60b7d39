"""What a run needs of others, as protocols. Not the run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from datetime import datetime

    from adapters.hosts.interface import Host
    from bot.clock import Clock
    from bot.relaunch.planning.plan import Plan
    from bot.relaunch.states import Blocked, State
    from bot.store.relaunches.interface import ApprovalStore, LockStore, Relaunch, RelaunchStore
    from bot.verification.evidence import Failure

#: waits so many seconds
Pause = Callable[[float], Awaitable[None]]
#: what a step leaves behind: JSON, so that any engine can keep it
Result = dict[str, Any]


class Stepper(Protocol):
    """Carries out steps and remembers what they came to."""

    async def step(self, name: str, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """Return what a step came to; one that ended before is not done again."""


@dataclass(frozen=True, slots=True)
class News:
    """Where a run stands."""

    relaunch_id: str
    state: State
    at: datetime
    detail: str = ""
    #: None outside of a start
    percent: float | None = None
    phase: str = ""
    #: `5/9` shards or graphs
    count: str = ""


class Witness(Protocol):
    """Whoever shows people how a run goes. It never raises, and a run never waits long for it."""

    async def hear(self, news: News) -> None:
        """Take in that a run has moved; the same news may come twice."""


class Looker(Protocol):
    """Whoever diagnoses logs."""

    async def failure_in(self, log: str) -> Failure | None:
        """Return what is wrong in a log; None when it shows no failure."""


class GroupsUnknownError(Exception):
    """Whether somebody may still approve hangs on groups, and their platform does not tell who is in them."""


class Permission(Protocol):
    """Whether what was approved may still be done, asked right before it is done."""

    async def withdrawn(self, relaunch: Relaunch, plan: Plan) -> str | None:
        """Return why the approvals of a plan no longer hold, one sentence; None when they do.

        Raises `GroupsUnknownError`.
        """

    async def blocked(self, relaunch: Relaunch, plan: Plan) -> Blocked | None:
        """Return why it has to wait."""

    async def switched_off(self) -> Blocked | None:
        """Return that nothing may be begun, if that is so."""

    def one_at_a_time(self, relaunch: Relaunch) -> str | None:
        """Return the name of what only one server of a model may hold; None where there is none to hold."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds between looks."""

    status: float = 2.0
    #: at a host that does not answer: at first, and at most
    retry: float = 2.0
    longest_retry: float = 60.0
    #: at a lock that another run holds
    lock: float = 5.0
    #: how long a host may say that it is busy with something else
    busy: float = 900.0
    #: how long a host may be out of order before that is the answer: its helper may just be being replaced
    broken: float = 60.0


@dataclass(frozen=True, slots=True)
class Tools:
    """All that a run works with."""

    runs: RelaunchStore
    approvals: ApprovalStore
    locks: LockStore
    #: the host of a name. Raises `LookupError`
    host: Callable[[str], Host]
    permission: Permission
    looker: Looker
    witness: Witness
    clock: Clock
    pause: Pause
    #: whether an error is one that passes by itself, as a database that is away for a while
    is_passing: Callable[[Exception], bool]
    pace: Pace = field(default_factory=Pace)
