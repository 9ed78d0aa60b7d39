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
_REMARK: Final = re2.compile(rb"(?:^|[ \]|])(?:WARNING|INFO|DEBUG) \d\d-\d\d \d\d:")
_ENDED: Final = re2.compile(
    rb"EngineDead|EngineCore (?:encountered|failed)|[Ee]ngine core (?:init|proc)|MQLLMEngine|Engine loop"
    rb"|Background loop has|Fatal Python error|Segmentation fault|core dumped|terminate called|Killed|died"
    rb"|OutOfMemory|CUDA error|HIP error|Shutting down|shutdown complete|Finished server process"
    rb"|(?:serve|vllm|\.py): error: |, in <module>"
)
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
    rb"|watchdog|compatible|support|cannot|terminated|unexpected|invalid"
    rb"|illegal|too old|larger than|not found|does not|no such"
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


def is_remark(text: bytes, number: int) -> bool:
    """Tell whether a line of a log, counted from 1, is one that vLLM prints and goes on after it."""
    lines = text.split(b"\n", number)
    return 0 < number <= len(lines) and _REMARK.search(lines[number - 1][:200]) is not None


def is_alive(text: bytes) -> bool:
    """Tell of the log of one start whether the server answered and nothing says that it ended."""
    begun = max(text.rfind(mark) for mark in _STARTED)
    return begun >= 0 and _ENDED.search(text[begun:]) is None


def look_of(line: bytes) -> Look:
    """Return what a line looks like."""
    if not _DOUBTFUL.search(line):
        return Look.PLAIN
    if any(mark in line for mark in _OVER):
        return Look.OVER
    return Look.BAD if any(mark in line for mark in _BAD) else Look.DOUBTFUL
