"""What the buttons about relaunches are called and what they carry. Never a setting: ids and a hash. Pure."""

from __future__ import annotations

import hashlib
import re
from typing import Final

from bot.triage.card import FETCH, RELAUNCH, SWEEP

#: a server was picked
PICK: Final = "relaunch-pick"
APPROVE: Final = "relaunch-approve"
REJECT: Final = "relaunch-reject"
CANCEL: Final = "relaunch-cancel"
ACTIONS: Final = frozenset({RELAUNCH, PICK, APPROVE, REJECT, CANCEL})
#: a server was picked whose log is to be fetched
FETCH_PICK: Final = "fetch-pick"
FETCHES: Final = frozenset({FETCH, FETCH_PICK})
SWEEPS: Final = frozenset({SWEEP})

#: platforms let a button carry little: so many digits of a hash are still more than anybody can guess or find again
_SEEN: Final = 24
_NAMED: Final = 16
_VALUE: Final = re.compile(rf"([0-9a-f]{{32}}):([0-9a-f]{{{_SEEN}}})")
_PICKED: Final = re.compile(rf"([0-9a-f]{{32}}):([0-9a-f]{{{_NAMED}}})")


def plan_value(relaunch_id: str, plan_hash: str) -> str:
    """Return what a button about a plan carries: which run, and which plan was seen."""
    return f"{relaunch_id}:{plan_hash[:_SEEN]}"


def plan_of(value: str) -> tuple[str, str] | None:
    """Return the run and the beginning of the plan's hash that a button carried; None for anything else."""
    found = _VALUE.fullmatch(value)
    return (found[1], found[2]) if found is not None else None


def pick_value(reply_id: str, server: str) -> str:
    """Return what a button carries that picks a server for the fix of an answer."""
    return f"{reply_id}:{digest_of(server)}"


def pick_of(value: str) -> tuple[str, str] | None:
    """Return answer and digest of the server that a button carried; None for anything else."""
    found = _PICKED.fullmatch(value)
    return (found[1], found[2]) if found is not None else None


def digest_of(server: str) -> str:
    """Return what stands for a server's name on a button."""
    return hashlib.sha256(server.encode()).hexdigest()[:_NAMED]
