"""Runs and plans as JSON, for programs. Not the page for a person."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bot.relaunch.planning.plan import plan_to_json

if TYPE_CHECKING:
    from datetime import datetime

    from bot.relaunch.outcomes import Shown
    from bot.relaunch.planning.plan import Plan
    from bot.relaunch.states import Blocked
    from bot.store.relaunches.interface import Relaunch
    from bot.telemetry.measures import Measures

_SCHEMA = 1


def run_to_json(run: Relaunch) -> dict[str, Any]:
    """Return a run."""
    return {
        "id": run.id,
        "host": run.host,
        "server": run.server,
        "state": run.state.value,
        "requester": run.requester,
        "incident": run.incident_id or None,
        "plan_hash": run.plan_hash or None,
        "detail": run.detail,
        "asked_at": run.asked_at.isoformat(),
        "expires_at": _time(run.expires_at),
        "ended_at": _time(run.ended_at),
    }


def shown_to_json(shown: Shown, times: Measures) -> dict[str, Any]:
    """Return a run with its plan, timeline and times."""
    return {
        "schema": _SCHEMA,
        **run_to_json(shown.relaunch),
        "approvers": list(shown.approvers),
        "plan": plan_to_json(shown.plan) if shown.plan is not None else None,
        "timeline": [
            {
                "at": moment.at.isoformat(),
                "state": moment.state.value,
                "detail": moment.detail,
                "facts": dict(moment.facts),
            }
            for moment in shown.timeline
        ],
        "seconds": asdict(times),
    }


def preview_to_json(plan: Plan, blocked: Blocked | None) -> dict[str, Any]:
    """Return a plan that nobody keeps, and what would hold it back now."""
    held = None
    if blocked is not None:
        held = {
            "reason": blocked.reason.value,
            "detail": blocked.detail,
            "lifts_at": _time(blocked.lifts_at),
        }
    return {"schema": _SCHEMA, "plan": plan_to_json(plan), "blocked": held}


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat() if moment is not None else None
