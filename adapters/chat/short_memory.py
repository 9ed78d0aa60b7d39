"""What was asked a moment ago, so that it is not asked again at once. Not for what has to outlive the process."""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Key = TypeVar("Key")
Value = TypeVar("Value")


class ShortMemory(Generic[Key, Value]):
    """Keeps the newest `most` answers; whoever asks says how old one may be."""

    def __init__(self, most: int, now: Callable[[], float] = time.monotonic) -> None:
        """`now` tells seconds that never go back."""
        self._most = most
        self._now = now
        self._kept: OrderedDict[Key, tuple[float, Value]] = OrderedDict()

    def find(self, key: Key, age_s: float) -> Value | None:
        """Return an answer that is younger than `age_s` seconds; None when there is none."""
        kept = self._kept.get(key)
        return kept[1] if kept is not None and self._now() - kept[0] < age_s else None

    def keep(self, key: Key, value: Value) -> None:
        """Keep an answer in place of an earlier one; the oldest one makes room."""
        self._kept[key] = (self._now(), value)
        self._kept.move_to_end(key)
        while len(self._kept) > self._most:
            self._kept.popitem(last=False)
