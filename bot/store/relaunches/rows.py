"""Runs and moments as rows, and back. Not for queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.relaunch.states import TERMINAL, State
from bot.store.relaunches.interface import Moment, Relaunch
from bot.store.tables import from_millis, to_millis

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Row


def open_key(relaunch: Relaunch) -> str | None:
    """Return what no two open runs share; None for a run that has ended."""
    return None if relaunch.state in TERMINAL else f"{relaunch.host}/{relaunch.server}"


def relaunch_values(relaunch: Relaunch) -> dict[str, Any]:
    """Return the columns of a run."""
    return {
        "id": relaunch.id,
        "host": relaunch.host,
        "server": relaunch.server,
        "open_key": open_key(relaunch),
        "state": relaunch.state.value,
        "held": relaunch.held.value if relaunch.held else None,
        "requester": relaunch.requester,
        "incident_id": relaunch.incident_id,
        "fingerprint": relaunch.fingerprint,
        "plan": dict(relaunch.plan) if relaunch.plan is not None else None,
        "plan_hash": relaunch.plan_hash,
        "origin": dict(relaunch.origin),
        "fence": relaunch.fence,
        "cancelled_by": relaunch.cancelled_by,
        "detail": relaunch.detail,
        "asked_at": to_millis(relaunch.asked_at),
        "expires_at": millis(relaunch.expires_at),
        "ended_at": millis(relaunch.ended_at),
    }


def relaunch_of(row: Row[Any]) -> Relaunch:
    """Return the run of a row."""
    return Relaunch(
        id=row.id,
        host=row.host,
        server=row.server,
        state=State(row.state),
        requester=row.requester,
        incident_id=row.incident_id,
        fingerprint=row.fingerprint,
        asked_at=from_millis(row.asked_at),
        origin=row.origin,
        plan=row.plan,
        plan_hash=row.plan_hash,
        expires_at=moment_of(row.expires_at),
        held=State(row.held) if row.held else None,
        fence=row.fence,
        cancelled_by=row.cancelled_by,
        detail=row.detail,
        ended_at=moment_of(row.ended_at),
    )


def moment_values(moment: Moment) -> dict[str, Any]:
    """Return the columns of a moment."""
    return {
        "relaunch_id": moment.relaunch_id,
        "key": moment.key,
        "state": moment.state.value,
        "at": to_millis(moment.at),
        "detail": moment.detail,
        "facts": dict(moment.facts),
    }


def moment_from(row: Row[Any]) -> Moment:
    """Return the moment of a row."""
    return Moment(row.relaunch_id, row.key, State(row.state), from_millis(row.at), row.detail, row.facts)


def millis(moment: datetime | None) -> int | None:
    """Return a time as it is kept, if there is one."""
    return None if moment is None else to_millis(moment)


def moment_of(kept: int | None) -> datetime | None:
    """Return a kept time, if there is one."""
    return None if kept is None else from_millis(kept)
