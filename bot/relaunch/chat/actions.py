"""What the buttons about relaunches are called and what they carry. Never a setting: ids and a hash. Pure."""

from __future__ import annotations

import re
from typing import Final

from bot.triage.card import RELAUNCH

#: a server was picked
PICK: Final = "relaunch-pick"
APPROVE: Final = "relaunch-approve"
REJECT: Final = "relaunch-reject"
CANCEL: Final = "relaunch-cancel"
ACTIONS: Final = frozenset({RELAUNCH, PICK, APPROVE, REJECT, CANCEL})

_VALUE: Final = re.compile(r"([0-9a-f]{32}):([0-9a-f]{64})")
_PICKED: Final = re.compile(r"([0-9a-f]{32}):([a-z0-9][a-z0-9._-]{0,62})")


def plan_value(relaunch_id: str, plan_hash: str) -> str:
    """Return what a button about a plan carries: which run, and which plan was seen."""
    return f"{relaunch_id}:{plan_hash}"


def plan_of(value: str) -> tuple[str, str] | None:
    """Return run and plan that a button carried; None for anything else."""
    found = _VALUE.fullmatch(value)
    return (found[1], found[2]) if found is not None else None


def pick_value(reply_id: str, server: str) -> str:
    """Return what a button carries that picks a server for the fix of an answer."""
    return f"{reply_id}:{server}"


def pick_of(value: str) -> tuple[str, str] | None:
    """Return answer and server that a button carried; None for anything else."""
    found = _PICKED.fullmatch(value)
    return (found[1], found[2]) if found is not None else None
