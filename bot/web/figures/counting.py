"""What the page of figures says, from what the store counted. Pure. Not where it stands on the page."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from bot.relaunch.states import TERMINAL, State

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date, datetime

    from bot.store.interface import Tally
    from bot.store.relaunches.interface import Relaunch

#: statuses in the order in which they stand on each other; the last one is an abstention that somebody asked for
STATUSES: Final = ("diagnosed", "need-more", "unknown", "not-an-incident")


@dataclass(frozen=True, slots=True)
class RuleFigure:
    """How often a rule was the answer, and how often people called that wrong."""

    rule: str
    count: int
    wrong: int


@dataclass(frozen=True, slots=True)
class Spread:
    """How long something usually takes, in seconds."""

    count: int
    half: float
    nine_of_ten: float
    longest: float


@dataclass(frozen=True, slots=True)
class Repair:
    """A failure that ended in a verified server."""

    run: Relaunch
    verified_at: datetime
    #: from the paste; from the request where nothing was pasted
    seconds: float


def days_until(today: date, count: int) -> tuple[date, ...]:
    """Return so many days, the last one today."""
    return tuple(today - timedelta(days=back) for back in range(count - 1, -1, -1))


def by_day(tallies: Iterable[Tally]) -> dict[date, Counter[str]]:
    """Return the answers of each day by status."""
    found: dict[date, Counter[str]] = {}
    for tally in tallies:
        if tally.status in STATUSES:
            found.setdefault(tally.day, Counter())[tally.status] += tally.count
    return found


def by_status(days: Mapping[date, Counter[str]]) -> dict[str, int]:
    """Return how often each status was given in all."""
    whole: Counter[str] = Counter()
    for counts in days.values():
        whole.update(counts)
    return {status: whole[status] for status in STATUSES}


def by_rule(counts: Mapping[str, int], wrong: Mapping[str, int]) -> list[RuleFigure]:
    """Return the rules in their order with how often people called them wrong."""
    return [RuleFigure(rule, count, wrong.get(rule, 0)) for rule, count in counts.items()]


def spread(seconds: Sequence[float]) -> Spread | None:
    """Return how long things took; None where nothing was measured."""
    if not seconds:
        return None
    ordered = sorted(seconds)

    def at(share: float) -> float:
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    return Spread(len(ordered), at(0.5), at(0.9), ordered[-1])


def repairs(runs: Iterable[Relaunch], pasted_at: Mapping[str, datetime]) -> list[Repair]:
    """Return the runs that ended verified, oldest first, with the time since the paste."""
    found = []
    for run in runs:
        if run.state is State.COMMITTED and run.ended_at is not None:
            begun = pasted_at.get(run.incident_id, run.asked_at)
            found.append(Repair(run, run.ended_at, max(0.0, (run.ended_at - begun).total_seconds())))
    return sorted(found, key=lambda one: one.verified_at)


def by_end(runs: Iterable[Relaunch]) -> dict[State, int]:
    """Return how many runs came to each end, the most frequent first; those under way are left out."""
    return dict(Counter(run.state for run in runs if run.state in TERMINAL).most_common())
