"""Texts in a log by which a start, its success and its failure show. Not for what failed: the engine tells that.

Too many lines look like failures rather than too few: one that is none costs a diagnosis that says so.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import re2


class Look(IntEnum):
    """What one line looks like; of several the highest."""

    PLAIN = 0
    #: it may be about a failure
    DOUBTFUL = 1
    #: something failed
    BAD = 2
    #: the program says that it gives up
    OVER = 3


#: the API server's banner; of releases that draw one, the line that tells the release
_BANNER: Final = b"vLLM API server version "
_DRAWN: Final = b"\xe2\x96"
_TOLD: Final = b"version "
_STARTED: Final = (b"Application startup complete", b"Uvicorn running on")
_BEGUN: Final = re2.compile(rb"version |Application startup complete|Uvicorn running on")
_OVER: Final = (b"RuntimeError: Engine core initialization failed",)
_BAD: Final = (
    b"Traceback (most recent call last)",
    b"EngineDeadError",
    b"EngineCore failed to start",
    b"EngineCore encountered",
    b"Engine core proc",
    b"failed to start",
    b"error: ",
    b"Fatal Python error",
    b"Segmentation fault",
    b"core dumped",
    b"terminate called after",
    b"CUDA error",
    b"HIP error",
    b"out of memory",
    b"Killed",
    b"No available memory",
)
_DOUBTFUL: Final = re2.compile(
    rb"(?i)error|fatal|exception|fault|fail|died|killed|xid |traceback|memory|core dumped|terminate called"
)


def begins_start(line: bytes) -> bool:
    """Tell whether a line is the first one of a start that is always printed."""
    if _TOLD not in line:
        return False
    if _BANNER in line:
        return True
    _, _, number = line.partition(_TOLD)
    return _DRAWN in line and number[:1].isdigit()


def has_started(line: bytes) -> bool:
    """Tell whether a line says that the server answers from now on."""
    return any(mark in line for mark in _STARTED)


def is_calm(lines: bytes) -> bool:
    """Tell of many lines at once whether each is plain, and neither begins a start nor ends one well."""
    return not (_BEGUN.search(lines) or _DOUBTFUL.search(lines))


def look_of(line: bytes) -> Look:
    """Return what a line looks like."""
    if not _DOUBTFUL.search(line):
        return Look.PLAIN
    if any(mark in line for mark in _OVER):
        return Look.OVER
    return Look.BAD if any(mark in line for mark in _BAD) else Look.DOUBTFUL
