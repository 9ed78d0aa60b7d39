"""The time and fresh ids, as arguments. Not for waiting."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import UTC, datetime

#: returns the present time, in UTC
Clock = Callable[[], datetime]
#: returns an id that was never used before
NewId = Callable[[], str]


def system_clock() -> datetime:
    """Return the present time."""
    return datetime.now(UTC)


def random_id() -> str:
    """Return 16 random bytes in letters and digits."""
    return secrets.token_hex(16)
