"""A clock that tests push forward, so that nobody waits for 3 seconds or 15 minutes to pass.

It is real time plus what was added; it never stops, because signatures and time stamps must stay near real
time. Not for pacing: network time-outs of the fakes are short settings in real seconds.
"""

import time


class Clock:
    """Real time, moved ahead on request."""

    def __init__(self) -> None:
        self._ahead_s = 0.0

    def now(self) -> float:
        """Seconds since 1970."""
        return time.time() + self._ahead_s

    def advance(self, seconds: float) -> None:
        """Pretend that so many seconds went by."""
        self._ahead_s += seconds
