"""One helper at a time works on a server. Held for an act, never for the life of the server."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Iterator

from ..refusal import BUSY, Refusal

if TYPE_CHECKING:
    from pathlib import Path

_POLL_SECONDS = 0.05


@contextmanager
def locked(path: Path, wait_seconds: float) -> Iterator[None]:
    """Hold the lock; refuse when another helper does not give it back in time. The kernel frees it at any death."""
    descriptor = os.open(str(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _take(descriptor, wait_seconds)
        yield
    finally:
        os.close(descriptor)


def is_locked(path: Path) -> bool:
    """Tell whether somebody holds the lock now."""
    descriptor = os.open(str(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        return not take(descriptor)
    finally:
        os.close(descriptor)


def _take(descriptor: int, wait_seconds: float) -> None:
    deadline = time.monotonic() + wait_seconds
    while not take(descriptor):
        if time.monotonic() >= deadline:
            raise Refusal(
                BUSY,
                "another helper has been at work on this server for %d seconds" % wait_seconds,
                "ask again with the same key",
            )
        time.sleep(_POLL_SECONDS)


def take(descriptor: int) -> bool:
    """Take the lock unless another open file has it; told at once."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
