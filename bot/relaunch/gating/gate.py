"""Whether a relaunch may happen now, and when it may if not. Pure. Not for who may ask: that is access."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.relaunch.gating.pace import HOUR, cooling_down, host_rate, in_words, person_rate
from bot.relaunch.states import ON_THE_HOST, TERMINAL, Blocked, BlockReason, State

if TYPE_CHECKING:
    from datetime import datetime

    from bot.relaunch.gating.wish import Switches, Wish

#: so many failures with the same fingerprint within an hour are enough
_FAILURES: Final = 2
#: the server is being worked on, or may be
_UNDER_WAY: Final = ON_THE_HOST | {State.HOST_UNKNOWN}
#: ends that touched the server
_FAILED: Final = frozenset({State.ROLLED_BACK, State.ROLLBACK_FAILED})


def may_plan(wish: Wish, switches: Switches, now: datetime) -> Blocked | None:
    """Return why a plan is not even made; dry runs make plans."""
    return (
        switched_off(switches)
        or _duplicate(wish)
        or _healthy(wish)
        or _repeated(wish, now)
        or _replica_failed(wish, now)
        or person_rate(wish, switches, now)
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
        or cooling_down(wish, now)
        or host_rate(wish, now)
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
        and now - run.ended_at < HOUR
    )
    if len(failures) < _FAILURES:
        return None
    lifts_at = failures[-_FAILURES] + HOUR
    return Blocked(
        BlockReason.REPEATED_FAILURE,
        f"Relaunching did not cure this failure {len(failures)} times within an hour.",
        lifts_at,
        in_words(lifts_at),
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
        and (run.ended_at > asked_at or (now - run.ended_at < HOUR and not wish.is_forced))
    )
    if not failures:
        return None
    at, server = failures[-1]
    lifts_at = at + HOUR
    return Blocked(
        BlockReason.REPLICA_FAILED,
        f"The same change did not help {server}, which serves the same model, so {wish.server} is not touched.",
        lifts_at,
        f"{in_words(lifts_at)}, or if somebody who may force asks for it",
    )


def _maintenance(wish: Wish) -> Blocked | None:
    if wish.maintenance_ends is None:
        return None
    detail = "A maintenance window is open."
    return Blocked(BlockReason.MAINTENANCE, detail, wish.maintenance_ends, in_words(wish.maintenance_ends))
