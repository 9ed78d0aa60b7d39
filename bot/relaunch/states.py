"""The states of a relaunch, which may follow which, and why one has to wait. Not for moving between them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


class State(StrEnum):
    """How far a relaunch has come."""

    REQUESTED = "requested"
    PLANNED = "planned"
    PREFLIGHT_OK = "preflight_ok"
    PREFLIGHT_FAILED = "preflight_failed"
    AWAITING_APPROVAL = "awaiting_approval"
    APPROVED = "approved"
    REJECTED = "rejected"
    #: nobody approved in time, or what was approved waited too long
    EXPIRED = "expired"
    #: called off before anything was touched: by a person, or because the facts of the plan no longer hold
    VOIDED = "voided"
    #: approved, and waits for something that ends
    BLOCKED = "blocked"
    LOCKED = "locked"
    STOPPING = "stopping"
    GPU_FREE = "gpu_free"
    LAUNCHING = "launching"
    STARTING = "starting"
    HEALTHY = "healthy"
    VERIFYING = "verifying"
    COMMITTED = "committed"
    ROLLING_BACK = "rolling_back"
    ROLLED_BACK = "rolled_back"
    ROLLBACK_FAILED = "rollback_failed"
    #: the host does not answer: nothing is known, the lock is kept, and it is asked again
    HOST_UNKNOWN = "host_unknown"


_S = State
#: what may follow each state; the way into and out of HOST_UNKNOWN is `may_move`'s
MOVES: Final[Mapping[State, frozenset[State]]] = {
    _S.REQUESTED: frozenset({_S.PLANNED, _S.PREFLIGHT_FAILED, _S.VOIDED}),
    _S.PLANNED: frozenset({_S.PREFLIGHT_OK, _S.PREFLIGHT_FAILED, _S.VOIDED}),
    _S.PREFLIGHT_OK: frozenset({_S.AWAITING_APPROVAL, _S.VOIDED}),
    _S.PREFLIGHT_FAILED: frozenset(),
    _S.AWAITING_APPROVAL: frozenset({_S.APPROVED, _S.REJECTED, _S.EXPIRED, _S.VOIDED}),
    _S.APPROVED: frozenset({_S.LOCKED, _S.BLOCKED, _S.EXPIRED, _S.VOIDED}),
    _S.BLOCKED: frozenset({_S.LOCKED, _S.EXPIRED, _S.VOIDED}),
    _S.REJECTED: frozenset(),
    _S.EXPIRED: frozenset(),
    _S.VOIDED: frozenset(),
    _S.LOCKED: frozenset({_S.STOPPING, _S.EXPIRED, _S.VOIDED}),
    _S.STOPPING: frozenset({_S.GPU_FREE, _S.ROLLING_BACK}),
    _S.GPU_FREE: frozenset({_S.LAUNCHING, _S.ROLLING_BACK}),
    _S.LAUNCHING: frozenset({_S.STARTING, _S.ROLLING_BACK}),
    _S.STARTING: frozenset({_S.HEALTHY, _S.ROLLING_BACK}),
    _S.HEALTHY: frozenset({_S.VERIFYING, _S.ROLLING_BACK}),
    _S.VERIFYING: frozenset({_S.COMMITTED, _S.ROLLING_BACK}),
    _S.COMMITTED: frozenset(),
    _S.ROLLING_BACK: frozenset({_S.ROLLED_BACK, _S.ROLLBACK_FAILED}),
    _S.ROLLED_BACK: frozenset(),
    _S.ROLLBACK_FAILED: frozenset(),
    _S.HOST_UNKNOWN: frozenset(),
}
#: nothing follows these
TERMINAL: Final = frozenset(
    state for state, following in MOVES.items() if not following and state is not State.HOST_UNKNOWN
)
#: the host is being asked for something, so it may fail to answer
ON_THE_HOST: Final = frozenset(
    {
        _S.LOCKED,
        _S.STOPPING,
        _S.GPU_FREE,
        _S.LAUNCHING,
        _S.STARTING,
        _S.HEALTHY,
        _S.VERIFYING,
        _S.ROLLING_BACK,
    }
)
#: something was or may have been done to the server: a failure leads back, never simply out
TOUCHED: Final = ON_THE_HOST - {_S.LOCKED}


def may_move(before: State, to: State, held: State | None = None) -> bool:
    """Tell whether a state may follow; `held` is the one that a host which does not answer was in."""
    if to is State.HOST_UNKNOWN:
        return before in ON_THE_HOST
    if before is State.HOST_UNKNOWN:
        # what the host says at last may also end the step that was asking
        return held is not None and (to is held or to in MOVES[held])
    return to in MOVES[before]


class BlockReason(StrEnum):
    """Why a relaunch may not go on yet."""

    #: another run holds the host
    BUSY = "busy"
    COOLING_DOWN = "cooling-down"
    #: the same server has a relaunch already
    DUPLICATE = "duplicate"
    #: the same failure came back twice in an hour
    REPEATED_FAILURE = "repeated-failure"
    MAINTENANCE = "maintenance"
    SWITCHED_OFF = "switched-off"
    DRY_RUN = "dry-run"
    HOST_RATE = "host-rate"
    PERSON_RATE = "person-rate"
    #: the server serves
    HEALTHY = "healthy"
    #: another server of the same model is being relaunched
    REPLICA = "replica"
    #: the same change did not help another server of the same model
    REPLICA_FAILED = "replica-failed"


#: an approval does not wait for these: a person has to lift them
UNWAITABLE: Final = frozenset(
    {
        BlockReason.SWITCHED_OFF,
        BlockReason.DRY_RUN,
        BlockReason.REPEATED_FAILURE,
        BlockReason.REPLICA_FAILED,
    }
)


@dataclass(frozen=True, slots=True)
class Blocked:
    """Why not now, and when that ends."""

    reason: BlockReason
    #: one sentence
    detail: str
    #: when it ends by itself; None: somebody or something has to act, see `lifts_when`
    lifts_at: datetime | None
    #: what ends it, in words that complete "Lifts …"
    lifts_when: str
