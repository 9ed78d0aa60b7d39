"""What a request asks for, typed. Not for reading bytes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Order:
    """Who asks for an act, and which run it belongs to."""

    server: str
    key: str
    fence: int

    @property
    def run(self) -> str | None:
        """Return what all keys of one run begin with; None when a key does not say."""
        head, colon, _ = self.key.rpartition(":")
        return head if colon else None
