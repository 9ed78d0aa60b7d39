"""The plan: what will be done to a server, immutable and hashed. Not for making or carrying it out."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from adapters.hosts.records import Launch, LaunchChange
    from bot.relaunch.planning.difference import DiffLine

#: raised when the shape of a plan changes: hashes of two shapes are never equal
SHAPE: Final = 1
#: fields that are kept as they are
PLAIN: Final = (
    "id",
    "host",
    "server",
    "driver",
    "vllm_version",
    "model",
    "was_serving",
    "is_forced",
    "expected_minutes",
    "nonce",
)
_TIMEOUTS: Final = ("grace", "start", "probe", "soak", "margin")
_SOURCE: Final = ("incident", "fingerprint", "rule", "rule_version", "fix", "risk")


class Check(StrEnum):
    """What is looked at before a relaunch may be called good."""

    PROCESS = "process"
    LOG_LINE = "log-line"
    NO_UNKNOWN_VARIABLE = "no-unknown-variable"
    NOT_THE_OLD_FAILURE = "not-the-old-failure"
    HEALTH = "health"
    MODELS = "models"
    TEXT = "text"
    IMAGE = "image"
    SOAK = "soak"


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long each part may take, in seconds."""

    #: between the polite signal and the one that cannot be refused
    grace: float = 15.0
    #: from the start until /health answers
    start: float = 2400.0
    #: one request to the server
    probe: float = 60.0
    #: between the first and the second look at a healthy server
    soak: float = 30.0
    #: how long the bot may be gone before the host goes back by itself, on top of all the others
    margin: float = 600.0

    @property
    def restore_after(self) -> float:
        """Return after how many seconds the host restores by itself, from the stop or the start on."""
        return self.grace + self.start + 4 * self.probe + self.soak + self.margin


@dataclass(frozen=True, slots=True)
class Source:
    """Why this change: what was diagnosed, and which fix of which rule is carried out."""

    incident: str
    fingerprint: str
    rule: str
    rule_version: int
    fix: str
    risk: str


@dataclass(frozen=True, slots=True)
class Promises:
    """What the log of the new start must and must not hold, as the facts of the release promise it."""

    #: of each group one line must be there; empty: nothing is promised, and absence proves nothing
    lines: tuple[tuple[str, ...], ...] = ()
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """What is approved. New facts make a new plan and void this one."""

    #: of the relaunch
    id: str
    host: str
    server: str
    driver: str
    vllm_version: str | None
    #: masked; the launch that a rollback goes back to
    before: Launch
    after: Launch
    change: LaunchChange
    diff: tuple[DiffLine, ...]
    steps: tuple[str, ...]
    timeouts: Timeouts
    checks: tuple[Check, ...]
    promises: Promises
    #: the name that its API serves the model under
    model: str
    #: whether the server served before; then a rollback must bring it back to serving
    was_serving: bool
    #: asked for although the server serves
    is_forced: bool
    source: Source
    expected_minutes: int
    made_at: datetime
    expires_at: datetime
    #: 128 bits of chance, so that no two plans are alike
    nonce: str

    @property
    def hash(self) -> str:
        """Return SHA-256 over all of it, hexadecimal."""
        return hashlib.sha256(canonical(plan_to_json(self))).hexdigest()


def canonical(value: Mapping[str, Any]) -> bytes:
    """Return JSON that is the same bytes for the same content: ASCII, sorted, without spaces."""
    return json.dumps(
        value, ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False
    ).encode()


def plan_to_json(plan: Plan) -> dict[str, Any]:
    """Return a plan as JSON that `plan_from_json` reads."""
    source, timeouts, promises = plan.source, plan.timeouts, plan.promises
    return {
        "shape": SHAPE,
        **{name: getattr(plan, name) for name in PLAIN},
        "before": _launch_to_json(plan.before),
        "after": _launch_to_json(plan.after),
        "change": {
            "env_unset": list(plan.change.env_unset),
            "env_set": dict(plan.change.env_set),
            "flags_set": dict(plan.change.flags_set),
            "flags_unset": list(plan.change.flags_unset),
        },
        "diff": [[line.kind.value, line.name, line.before, line.after] for line in plan.diff],
        "steps": list(plan.steps),
        "timeouts": {name: float(getattr(timeouts, name)) for name in _TIMEOUTS},
        "checks": [check.value for check in plan.checks],
        "promises": {"lines": [list(group) for group in promises.lines], "absent": list(promises.absent)},
        "source": {name: getattr(source, name) for name in _SOURCE},
        "made_at": plan.made_at.isoformat(),
        "expires_at": plan.expires_at.isoformat(),
    }


def _launch_to_json(launch: Launch) -> dict[str, Any]:
    return {"argv": list(launch.argv), "env": dict(launch.env), "spec_hash": launch.spec_hash}
