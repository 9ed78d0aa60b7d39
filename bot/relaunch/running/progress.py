"""How far a start has come, told from its log: a phase and percent that never fall. Pure.

Not for whether the server is healthy: only its own answers tell that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

import re2

from bot.relaunch.running.phases import ANY, PATTERNS, SIGNS, Phase

if TYPE_CHECKING:
    from collections.abc import Mapping

_COLOURS: Final = re2.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_LINE_ENDS: Final = re2.compile(r"[\r\n]+")
#: longer lines are looked at as far as this; no sign stands later
_LONGEST: Final = 4_000
#: a server that logs nothing and uses no CPU for so long hangs
_QUIET: Final = timedelta(minutes=5)
#: less than this much CPU time is idling
_IDLE_CPU_S: Final = 1.0
#: without any progress for so long within one phase, a start is stuck even if it is busy
LIMITS: Final[Mapping[Phase, timedelta]] = {
    Phase.BEGINNING: timedelta(minutes=10),
    Phase.ENGINE: timedelta(minutes=10),
    Phase.DOWNLOAD: timedelta(minutes=60),
    Phase.WEIGHTS: timedelta(minutes=10),
    Phase.COMPILE: timedelta(minutes=20),
    Phase.KV_CACHE: timedelta(minutes=10),
    Phase.GRAPHS: timedelta(minutes=10),
    Phase.SERVING: timedelta(minutes=5),
    Phase.READY: timedelta(minutes=5),
}


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a start has come."""

    phase: Phase = Phase.BEGINNING
    percent: float = 0.0
    #: `5/9` within a bar; else empty
    count: str = ""
    #: the beginning of a line whose end was not read yet
    rest: str = ""


def advance(progress: Progress, text: str) -> Progress:
    """Return how far it is after one more piece of its log."""
    lines = _LINE_ENDS.split(progress.rest + text)
    # what is left is not finished; it is looked at anyway, because bars are rewritten without a line end
    rest = lines[-1][:_LONGEST]
    for line in lines:
        progress = _after_line(progress, line[:_LONGEST])
    return replace(progress, rest=rest)


def _after_line(progress: Progress, line: str) -> Progress:
    if not line:
        return progress
    plain = _COLOURS.sub("", line)
    best = progress
    for number in ANY.Match(plain) or ():
        sign, found = SIGNS[number], PATTERNS[number].search(plain)
        if found is None:
            continue
        percent, count = sign.percent, ""
        if sign.until is not None:
            done, whole = _number(found["done"]), _number(found["whole"])
            percent += (sign.until - sign.percent) * min(done / max(whole, 1), 1.0)
            count = f"{done}/{whole}"
        if percent > best.percent:
            best = replace(best, phase=sign.phase, percent=percent, count=count)
    return best


def _number(digits: str) -> int:
    """Return a number of shards or graphs; a log may hold any digits."""
    return int(digits[:9])


@dataclass(frozen=True, slots=True)
class Watch:
    """When a start last moved."""

    progress: Progress
    moved_at: datetime
    #: when it last logged anything or used the CPU
    lived_at: datetime
    cpu_seconds: float = 0.0


def observe(watch: Watch, text: str, cpu_seconds: float, now: datetime) -> Watch:
    """Return the watch after one more look at the server."""
    after = advance(watch.progress, text)
    has_moved = after.percent > watch.progress.percent
    # a supervisor's restart counts from zero again
    worked = cpu_seconds < watch.cpu_seconds or cpu_seconds - watch.cpu_seconds >= _IDLE_CPU_S
    return Watch(
        progress=after,
        moved_at=now if has_moved else watch.moved_at,
        lived_at=now if text or worked else watch.lived_at,
        cpu_seconds=cpu_seconds if worked else watch.cpu_seconds,
    )


def stuck(watch: Watch, now: datetime) -> str | None:
    """Return one sentence on why a start is not waited for any longer; None while it may go on."""
    phase = watch.progress.phase
    if now - watch.lived_at >= _QUIET:
        minutes = int(_QUIET.total_seconds() // 60)
        return f"It hangs ({phase}): nothing logged and no CPU used for {minutes} minutes."
    limit = LIMITS[phase]
    if now - watch.moved_at >= limit:
        return f"It is stuck ({phase}): no progress for {int(limit.total_seconds() // 60)} minutes."
    return None
