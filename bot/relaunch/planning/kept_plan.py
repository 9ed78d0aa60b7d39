"""Reads a plan back from where it was kept. Not for writing it: that is beside the plan."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from adapters.hosts.records import Launch, LaunchChange
from bot.relaunch.planning.difference import DiffKind, DiffLine
from bot.relaunch.planning.plan import PLAIN, SHAPE, Check, Plan, Promises, Source, Timeouts

if TYPE_CHECKING:
    from collections.abc import Mapping


class ForeignPlanError(Exception):
    """A plan was kept by a release of the program that shapes plans otherwise."""

    def __init__(self, shape: object) -> None:
        super().__init__(f"this plan has shape {shape!r}, not {SHAPE}: reject it and ask for a new one")


def plan_from_json(kept: Mapping[str, Any]) -> Plan:
    """Return the plan that was kept. Raises `ForeignPlanError`."""
    if kept.get("shape") != SHAPE:
        raise ForeignPlanError(kept.get("shape"))
    change, promises = kept["change"], kept["promises"]
    return Plan(
        **{name: kept[name] for name in PLAIN},
        before=_launch(kept["before"]),
        after=_launch(kept["after"]),
        change=LaunchChange(
            tuple(change["env_unset"]), change["env_set"], change["flags_set"], tuple(change["flags_unset"])
        ),
        diff=tuple(DiffLine(DiffKind(kind), name, was, now) for kind, name, was, now in kept["diff"]),
        steps=tuple(kept["steps"]),
        timeouts=Timeouts(**kept["timeouts"]),
        checks=tuple(map(Check, kept["checks"])),
        promises=Promises(tuple(map(tuple, promises["lines"])), tuple(promises["absent"])),
        source=Source(**kept["source"]),
        made_at=datetime.fromisoformat(kept["made_at"]),
        expires_at=datetime.fromisoformat(kept["expires_at"]),
    )


def _launch(kept: Mapping[str, Any]) -> Launch:
    return Launch(tuple(kept["argv"]), kept["env"], kept["spec_hash"])
