"""How much one session may send. Not for how large one thing may be."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

#: sessions that are remembered; the one that was quiet longest goes first
_MOST_SESSIONS = 10_000


@dataclass(slots=True)
class _Bucket:
    left: float
    at: float


class RateLimit:
    """A number of acts that refills evenly over a minute; `now` returns seconds and never goes back."""

    def __init__(self, per_minute: int, now: Callable[[], float]) -> None:
        self._per_minute = per_minute
        self._now = now
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def allows(self, key: str) -> bool:
        """Tell whether one more act is all right, and count it if so."""
        now = self._now()
        bucket = self._buckets.setdefault(key, _Bucket(self._per_minute, now))
        self._buckets.move_to_end(key)
        if len(self._buckets) > _MOST_SESSIONS:
            self._buckets.popitem(last=False)
        bucket.left = min(self._per_minute, bucket.left + (now - bucket.at) * self._per_minute / 60)
        bucket.at = now
        if bucket.left < 1:
            return False
        bucket.left -= 1
        return True

    def wait_s(self) -> int:
        """Return the seconds after which at least one act is allowed again."""
        return max(1, round(60 / self._per_minute))
