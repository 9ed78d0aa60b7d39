"""How long each part of a relaunch took, from the times of its events. Pure. Not for adding them up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.relaunch.states import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from bot.store.relaunches.interface import Moment


@dataclass(frozen=True, slots=True)
class Measures:
    """Seconds between the moments that people wait for; None where one of them never came."""

    paste_to_answer: float | None
    answer_to_request: float | None
    request_to_approved: float | None
    approved_to_up: float | None
    up_to_verified: float | None
    paste_to_verified: float | None


def measure(
    reached: Mapping[State, datetime], pasted_at: datetime | None = None, answered_at: datetime | None = None
) -> Measures:
    """Return the measures of one run; `reached` holds when it first came to each state."""
    requested, approved = reached.get(State.REQUESTED), reached.get(State.APPROVED)
    up, verified = reached.get(State.HEALTHY), reached.get(State.COMMITTED)
    return Measures(
        paste_to_answer=_between(pasted_at, answered_at),
        answer_to_request=_between(answered_at, requested),
        request_to_approved=_between(requested, approved),
        approved_to_up=_between(approved, up),
        up_to_verified=_between(up, verified),
        paste_to_verified=_between(pasted_at, verified),
    )


def measured(
    timeline: Iterable[Moment], pasted_at: datetime | None = None, answered_at: datetime | None = None
) -> Measures:
    """Return the measures of a run whose timeline is known."""
    reached: dict[State, datetime] = {}
    for moment in timeline:
        reached.setdefault(moment.state, moment.at)
    return measure(reached, pasted_at, answered_at)


def _between(begin: datetime | None, end: datetime | None) -> float | None:
    """Return the seconds between; clocks of two machines may disagree, and nothing took less than none."""
    return None if begin is None or end is None else max(0.0, (end - begin).total_seconds())
