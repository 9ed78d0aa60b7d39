"""Ends processes: asks, waits, kills. Not for which: whoever calls is sure that they are the server's."""

from __future__ import annotations

import os
import signal
import time
from typing import Callable

from ..refusal import UNABLE, Refusal
from . import proc

Find = Callable[[], "list[proc.Process]"]
_POLL_SECONDS = 0.05
#: how long a killed process may take to be gone
_KILL_SECONDS = 15.0


def end(find: Find, asked: list[proc.Process], grace_seconds: float) -> bool:
    """Ask some, wait for all, then kill what is left with its group; tell whether anything had to be killed."""
    for process in asked:
        _signal(process, signal.SIGTERM)
    if _wait_until_gone(find, grace_seconds):
        return False
    kill(find)
    return True


def kill(find: Find) -> None:
    """Kill until nothing is found any more: what a killed process had started meanwhile is found again."""
    deadline = time.monotonic() + _KILL_SECONDS
    while True:
        left = find()
        if not left:
            return
        for process in left:
            _signal(process, signal.SIGKILL)
        if time.monotonic() > deadline:
            raise Refusal(
                UNABLE,
                "process %d (%s) does not end although it was killed" % (left[0].pid, proc.name(left[0].pid)),
                "it hangs in the kernel, most likely in the GPU driver: the machine must be restarted",
            )
        time.sleep(_POLL_SECONDS)


def _wait_until_gone(find: Find, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while find():
        if time.monotonic() >= deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def _signal(process: proc.Process, number: int) -> None:
    if process.is_alive():
        try:
            os.kill(process.pid, number)
        except ProcessLookupError:
            return
        except PermissionError:
            raise Refusal(
                UNABLE,
                "process %d of the server belongs to another user" % process.pid,
                "let the helper run as root or as the server's user",
            ) from None
