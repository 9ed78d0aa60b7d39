"""Whether a relaunch may happen now, and when it may if not. Pure. Not for who may ask: that is access."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from bot.relaunch.states import ON_THE_HOST, TERMINAL, Blocked, BlockReason, State

if TYPE_CHECKING:
    from collections.abc import Sequence

_HOUR: Final = timedelta(hours=1)
#: between relaunches of one host that did not help; after the last a person has to look
COOL_DOWNS: Final = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=15))
#: so many failures with the same fingerprint within an hour are enough
_FAILURES: Final = 2
#: how far back failed relaunches of a host count
_MEMORY: Final = timedelta(hours=24)
#: the server is being worked on, or may be
_UNDER_WAY: Final = ON_THE_HOST | {State.HOST_UNKNOWN}
#: ends that touched the server
_FAILED: Final = frozenset({State.ROLLED_BACK, State.ROLLBACK_FAILED})
#: ends of what was refused, where no plan stood
_REFUSED: Final = frozenset({State.PREFLIGHT_FAILED, State.VOIDED})
#: so many refused requests weigh as much as one that came to a plan: each asks the host, and none touches it
_REFUSED_PER_PLAN: Final = 10


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


def may_plan(wish: Wish, switches: Switches, now: datetime) -> Blocked | None:
    """Return why a plan is not even made; dry runs make plans."""
    return (
        switched_off(switches)
        or _duplicate(wish)
        or _healthy(wish)
        or _repeated(wish, now)
        or _replica_failed(wish, now)
        or _person_rate(wish, switches, now)
    )


def may_run(wish: Wish, switches: Switches, now: datetime) -> Blocked | None:
    """Return why an approved plan is not carried out now."""
    return (
        switched_off(switches)
        or dry_run(switches)
        or _maintenance(wish)
        or _repeated(wish, now)
        or _replica_failed(wish, now)
        or _replica_runs(wish)
        or _cooling_down(wish, now)
        or _host_rate(wish, now)
    )


def switched_off(switches: Switches) -> Blocked | None:
    """Return that nothing may be begun, if that is so."""
    if switches.turned_off:
        lifts = "when an operator says `vllm-diagnose relaunch switch on`"
        return Blocked(BlockReason.SWITCHED_OFF, switches.turned_off, None, lifts)
    if switches.is_enabled:
        return None
    return Blocked(
        BlockReason.SWITCHED_OFF,
        "Relaunching is switched off.",
        None,
        "when an operator sets relaunch.enabled to true and starts the bot again",
    )


def dry_run(switches: Switches) -> Blocked | None:
    """Return that plans are made and not carried out, if that is so."""
    if not switches.is_dry_run:
        return None
    return Blocked(
        BlockReason.DRY_RUN,
        "This bot only plans: dry run is on.",
        None,
        "when an operator sets relaunch.dry_run to false",
    )


def _duplicate(wish: Wish) -> Blocked | None:
    for run in wish.past:
        if run.id != wish.id and run.server == wish.server and run.state not in TERMINAL:
            return Blocked(
                BlockReason.DUPLICATE,
                f"Relaunch {run.id} of {wish.server} is {run.state}.",
                None,
                "when that one has ended",
            )
    return None


def _healthy(wish: Wish) -> Blocked | None:
    if not wish.is_serving or wish.is_forced:
        return None
    return Blocked(
        BlockReason.HEALTHY,
        f"{wish.server} answers its health check.",
        None,
        "when it stops serving, or if somebody who may force asks for it",
    )


def _repeated(wish: Wish, now: datetime) -> Blocked | None:
    """Refuse what failed twice within an hour with the same failure."""
    failures = sorted(
        run.ended_at
        for run in wish.past
        if run.ended_at is not None
        and run.state in _FAILED
        and run.server == wish.server
        and run.fingerprint == wish.fingerprint
        and now - run.ended_at < _HOUR
    )
    if len(failures) < _FAILURES:
        return None
    lifts_at = failures[-_FAILURES] + _HOUR
    return Blocked(
        BlockReason.REPEATED_FAILURE,
        f"Relaunching did not cure this failure {len(failures)} times within an hour.",
        lifts_at,
        _at(lifts_at),
    )


def _replica_runs(wish: Wish) -> Blocked | None:
    """Leave the other servers of a model alone while one of them is down for a relaunch."""
    for run in wish.past:
        if run.server in wish.replicas and run.state in _UNDER_WAY:
            return held_by_replica(run.id, run.server)
    return None


def held_by_replica(relaunch_id: str, server: str = "") -> Blocked:
    """Return that another server of the same model is being relaunched."""
    whose = f"of {server}, which serves the same model," if server else "of another server of the same model"
    return Blocked(
        BlockReason.REPLICA, f"Relaunch {relaunch_id} {whose} goes on.", None, "when that one has ended"
    )


def _replica_failed(wish: Wish, now: datetime) -> Blocked | None:
    """Refuse a change that has just not helped another server of the same model.

    What was asked for before is refused however long ago that was; after it somebody may force it.
    """
    asked_at = wish.asked_at or now
    failures = sorted(
        (run.ended_at, run.server)
        for run in wish.past
        if run.ended_at is not None
        and run.state in _FAILED
        and run.server in wish.replicas
        and (run.fingerprint, run.fix) == (wish.fingerprint, wish.fix)
        and (run.ended_at > asked_at or (now - run.ended_at < _HOUR and not wish.is_forced))
    )
    if not failures:
        return None
    at, server = failures[-1]
    lifts_at = at + _HOUR
    return Blocked(
        BlockReason.REPLICA_FAILED,
        f"The same change did not help {server}, which serves the same model, so {wish.server} is not touched.",
        lifts_at,
        f"{_at(lifts_at)}, or if somebody who may force asks for it",
    )


def _cooling_down(wish: Wish, now: datetime) -> Blocked | None:
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
            f"{_at(lifts_at)}, or when somebody repairs the host by hand",
        )
    lifts_at = last + COOL_DOWNS[max(failed - 1, 0)]
    if now >= lifts_at:
        return None
    return Blocked(
        BlockReason.COOLING_DOWN, f"{wish.host} was relaunched a moment ago.", lifts_at, _at(lifts_at)
    )


def _host_rate(wish: Wish, now: datetime) -> Blocked | None:
    times = [
        run.asked_at for run in wish.past if run.server == wish.server and run.touched and run.id != wish.id
    ]
    lifts_at = _full_until(times, wish.per_hour, now)
    if lifts_at is None:
        return None
    detail = f"{wish.server} had {wish.per_hour} relaunches within an hour."
    return Blocked(BlockReason.HOST_RATE, detail, lifts_at, _at(lifts_at))


def _person_rate(wish: Wish, switches: Switches, now: datetime) -> Blocked | None:
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
    return Blocked(BlockReason.PERSON_RATE, detail, lifts_at, _at(lifts_at))


def _full_until(times: Sequence[datetime], limit: int, now: datetime) -> datetime | None:
    """Return when one more fits into the hour; None when it fits now."""
    recent = sorted(time for time in times if now - time < _HOUR)
    if len(recent) < limit:
        return None
    return recent[len(recent) - limit] + _HOUR if limit > 0 else now + _HOUR


def _maintenance(wish: Wish) -> Blocked | None:
    if wish.maintenance_ends is None:
        return None
    detail = "A maintenance window is open."
    return Blocked(BlockReason.MAINTENANCE, detail, wish.maintenance_ends, _at(wish.maintenance_ends))


def _at(moment: datetime) -> str:
    return f"at {moment:%H:%M:%S} UTC on {moment:%Y-%m-%d}"
