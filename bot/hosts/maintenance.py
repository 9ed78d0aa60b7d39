"""Windows in which a server may be relaunched, or must be left alone. Pure. Not for asking the time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

#: as `datetime.weekday` counts them
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True, slots=True)
class Window:
    """Some hours of some days during which nobody may relaunch."""

    days: frozenset[str]
    begins: time
    #: on the next day when it is not later than `begins`
    ends: time
    zone: ZoneInfo

    def lifts(self, now: datetime) -> datetime | None:
        """Return when the window that is open now ends; None when none is."""
        local = now.astimezone(self.zone)
        for day in (local.date(), local.date() - timedelta(days=1)):
            if DAYS[day.weekday()] not in self.days:
                continue
            begin = datetime.combine(day, self.begins, self.zone)
            last = day if self.ends > self.begins else day + timedelta(days=1)
            end = datetime.combine(last, self.ends, self.zone)
            if begin.timestamp() <= now.timestamp() < end.timestamp():
                return end.astimezone(now.tzinfo)
        return None


def lifts(windows: tuple[Window, ...], now: datetime) -> datetime | None:
    """Return when no window is open any more; None when none is open now."""
    moment = now
    # each step leaves one window: overlapping ones follow each other at most once round the week
    for _ in range(8 * max(1, len(windows))):
        ends = [end for window in windows if (end := window.lifts(moment)) is not None]
        if not ends:
            return moment if moment > now else None
        moment = max(ends)
    return moment
