"""How often is too often: cool-downs of hosts, limits of servers and people. Pure. Not for why else it may not be."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from bot.relaunch.states import Blocked, BlockReason, State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.relaunch.gating.wish import Switches, Wish

HOUR: Final = timedelta(hours=1)
#: between relaunches of one host that did not help; after the last a person has to look
COOL_DOWNS: Final = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=15))
#: how far back failed relaunches of a host count
_MEMORY: Final = timedelta(hours=24)
#: so many refused requests weigh as much as one that came to a plan: each asks the host, and none touches it
_REFUSED_PER_PLAN: Final = 10


def cooling_down(wish: Wish, now: datetime) -> Blocked | None:
    """Wait after each relaunch of the host, longer after each that did not help."""
    ended = sorted(
        (run.ended_at, run.state)
        for run in wish.past
        if run.ended_at is not None
        and run.touched
        and run.host == wish.host
        and run.id != wish.id
        and now - run.ended_at < _MEMORY
    )
    if not ended:
        return None
    last = ended[-1][0]
    failed = 0
    for _, state in reversed(ended):
        if state is State.COMMITTED:
            break
        failed += 1
    if failed > len(COOL_DOWNS):
        lifts_at = last + _MEMORY
        return Blocked(
            BlockReason.COOLING_DOWN,
            f"{failed} relaunches in a row did not help {wish.host}: a person has to look.",
            lifts_at,
            f"{in_words(lifts_at)}, or when somebody repairs the host by hand",
        )
    lifts_at = last + COOL_DOWNS[max(failed - 1, 0)]
    if now >= lifts_at:
        return None
    return Blocked(
        BlockReason.COOLING_DOWN, f"{wish.host} was relaunched a moment ago.", lifts_at, in_words(lifts_at)
    )


def host_rate(wish: Wish, now: datetime) -> Blocked | None:
    """Return that the server has had all relaunches that it may have in an hour."""
    times = [
        run.asked_at for run in wish.past if run.server == wish.server and run.touched and run.id != wish.id
    ]
    lifts_at = _full_until(times, wish.per_hour, now)
    if lifts_at is None:
        return None
    detail = f"{wish.server} had {wish.per_hour} relaunches within an hour."
    return Blocked(BlockReason.HOST_RATE, detail, lifts_at, in_words(lifts_at))


def person_rate(wish: Wish, switches: Switches, now: datetime) -> Blocked | None:
    """Limit what somebody asks for; what was refused at once counts apart, and may be far more."""
    own = [run for run in wish.past if run.person == wish.person and run.id != wish.id]
    planned = [run.asked_at for run in own if not run.was_refused]
    lifts_at = _full_until(planned, switches.per_person_an_hour, now)
    detail = f"You asked for {switches.per_person_an_hour} relaunches within an hour."
    if lifts_at is None:
        most = switches.per_person_an_hour * _REFUSED_PER_PLAN
        lifts_at = _full_until([run.asked_at for run in own if run.was_refused], most, now)
        detail = f"{most} relaunches that you asked for within an hour could not be planned."
    if lifts_at is None:
        return None
    return Blocked(BlockReason.PERSON_RATE, detail, lifts_at, in_words(lifts_at))


def _full_until(times: Sequence[datetime], limit: int, now: datetime) -> datetime | None:
    """Return when one more fits into the hour; None when it fits now."""
    recent = sorted(time for time in times if now - time < HOUR)
    if len(recent) < limit:
        return None
    return recent[len(recent) - limit] + HOUR if limit > 0 else now + HOUR


def in_words(moment: datetime) -> str:
    """Say when, for a person."""
    return f"at {moment:%H:%M:%S} UTC on {moment:%Y-%m-%d}"
