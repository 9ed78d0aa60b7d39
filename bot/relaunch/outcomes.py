"""What comes of an act at the desk, for whoever shows it. Not the showing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from bot.relaunch.states import State

if TYPE_CHECKING:
    from bot.access.authorization import Refusal
    from bot.relaunch.planning.plan import Plan
    from bot.relaunch.states import Blocked
    from bot.store.relaunches.interface import Moment, Relaunch


class OutcomeKind(StrEnum):
    """What came of an act."""

    #: a plan waits for approval
    PLANNED = "planned"
    #: the server has a relaunch already, and this is it
    JOINED = "joined"
    #: not now; see `blocked`
    BLOCKED = "blocked"
    #: this person may not; see `refusal`
    DENIED = "denied"
    #: it could not be done; see `detail` and `next_step`
    FAILED = "failed"
    #: the last approval that was missing: the run begins
    APPROVED = "approved"
    #: counted, and more are needed; see `missing`
    COUNTED = "counted"
    REJECTED = "rejected"
    #: it will end as soon as it can
    CALLED_OFF = "called-off"
    #: too late, or said before; see `relaunch`
    ALREADY = "already"


@dataclass(frozen=True, slots=True)
class DeskOutcome:
    """The answer to one act."""

    kind: OutcomeKind
    relaunch: Relaunch | None = None
    plan: Plan | None = None
    blocked: Blocked | None = None
    refusal: Refusal | None = None
    detail: str = ""
    next_step: str = ""
    #: approvals that are still missing
    missing: int = 0
    #: it failed because the host did not answer
    is_unreachable: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """One run with all there is to see of it."""

    relaunch: Relaunch
    #: None: none was made, or an older release of the program shaped it
    plan: Plan | None
    timeline: tuple[Moment, ...]
    approvers: tuple[str, ...]

    @property
    def remark(self) -> str:
        """Return what is to be said beside the state; of an approved run that already says by whom."""
        return "" if self.relaunch.state is State.APPROVED else self.relaunch.detail
