"""Which failures of a log were raised, so that a restart loop is one incident with a count. Pure: time comes in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from rules.engine.report import Status

#: a failure that did not come back for so long is over; seconds
_OVER_S: Final = 3600.0
#: so is one after which the server answered for so long
_HEALTHY_S: Final = 600.0
_MOST: Final = 200


@dataclass(slots=True)
class Raised:
    """One failure, and how many starts ended with it."""

    #: identity of the start that it was seen in last
    start: int
    seen_at: float
    count: int = 1


@dataclass(slots=True)
class KnownFailures:
    """The failures of one log by their fingerprints."""

    raised: dict[str, Raised] = field(default_factory=dict)

    def count(
        self, fingerprint: str, status: Status, start: int, now: float, started_at: float | None = None
    ) -> int:
        """Return how many starts ended so, this one included; 0 where this start's failure is known already.

        1 means that it is to be raised. `started_at`: since when the server answered before it failed.
        """
        if started_at is not None and now - started_at >= _HEALTHY_S:
            self.raised.clear()
        self.raised = {one: known for one, known in self.raised.items() if now - known.seen_at < _OVER_S}
        known = self.raised.get(fingerprint)
        if known is None:
            if status is Status.NEED_MORE and any(one.start == start for one in self.raised.values()):
                # the rest of a failure that was told already
                return 0
            if len(self.raised) >= _MOST:
                del self.raised[next(iter(self.raised))]
            self.raised[fingerprint] = Raised(start, now)
            return 1
        known.seen_at = now
        if known.start == start:
            return 0
        known.start = start
        known.count += 1
        return known.count


def is_worth_saying(count: int) -> bool:
    """Tell whether a count is one at which people are told again: 2, 5, 10, 20, 50, 100 and so on."""
    return str(count).rstrip("0") in {"1", "2", "5"} and count > 1
