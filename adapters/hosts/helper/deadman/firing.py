"""Brings the previous launch back because nobody came in time. Not for setting the timer."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from ..acts.restore import bring_back
from ..acts.work import open_work
from ..refusal import Refusal
from ..request.orders import Order
from ..state import outcomes
from ..state.lock import locked, take
from . import timer

if TYPE_CHECKING:
    from ..acts.work import Work
    from ..host.allowlist import Allowlist

#: an act in progress is waited for; it sets the timer anew or closes the run
_WAIT_SECONDS = 600.0
_LONGEST_SLEEP_SECONDS = 0.5
#: a second in all
_TRIES, _TRY_SECONDS = 50, 0.02
#: a manager's timer may be early by its own accuracy
_EARLY_SECONDS = 5.0
#: should this restoration fail as well, it is tried again after
_AGAIN_SECONDS = 60.0


def watch(allowlist: Allowlist, name: str) -> int:
    """Wait until the server's timer is due or taken off; one watcher per server does."""
    work = open_work(allowlist, name)
    descriptor = os.open(str(work.folder.watch_lock), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    if not _is_the_one(descriptor):
        return 0
    # It is looked at again and again: another order may set it anew, to earlier or later.
    while True:
        left = timer.remaining(work.folder)
        if left is None:
            if _is_dismissed(work, descriptor):
                return 0
        elif left > 0.0:
            time.sleep(min(left, _LONGEST_SLEEP_SECONDS))
        elif not _is_fired(work):
            time.sleep(_LONGEST_SLEEP_SECONDS)


def _is_the_one(descriptor: int) -> bool:
    """Tell whether this is the watcher now: who only looks whether there is one has the lock for a moment too."""
    for _ in range(_TRIES):
        if take(descriptor):
            return True
        time.sleep(_TRY_SECONDS)
    return False


def _is_dismissed(work: Work, descriptor: int) -> bool:
    """Give the watch up, unless an order sets the timer meanwhile.

    Orders look under the server's lock whether somebody watches; so under that lock alone may nobody watch any more.
    """
    try:
        with locked(work.folder.lock, _WAIT_SECONDS):
            if timer.remaining(work.folder) is not None:
                return False
            os.close(descriptor)
            return True
    except Refusal:
        return False


def _is_fired(work: Work) -> bool:
    """Bring it back; False when that was refused and is to be tried again."""
    try:
        fire(work)
    except Refusal:
        return False
    return True


def fire_when_due(allowlist: Allowlist, name: str) -> int:
    """Bring it back if the timer is due; called by a manager's timer, which may be an older one."""
    work = open_work(allowlist, name)
    left = timer.remaining(work.folder)
    if left is not None and left <= _EARLY_SECONDS:
        time.sleep(left)
        fire(work)
    return 0


def fire(work: Work) -> None:
    """Bring it back, unless the run was closed or the timer set anew meanwhile."""
    with locked(work.folder.lock, _WAIT_SECONDS):
        record = work.record()
        if timer.remaining(work.folder) != 0.0:
            return
        if not record.is_open:
            timer.disarm(work.folder)
            return
        key = "%s:deadman" % record.run if record.run else "deadman"
        order = Order(work.server.name, key, record.fence)
        outcomes.add(work.folder, "restore", key, bring_back(work, record, order, _AGAIN_SECONDS))
