"""Replaces what a pattern finds and counts it. Not for saying what is private."""

from collections.abc import Callable
from typing import Protocol


class Found(Protocol):
    """A match of a pattern over bytes, as far as the passes need it."""

    @property
    def string(self) -> bytes:
        """Return the whole text."""

    def group(self, group: int = 0, /) -> bytes | None:
        """Return a group, None when it took no part."""

    def start(self, group: int = 0, /) -> int:
        """Return where a group begins."""

    def end(self, group: int = 0, /) -> int:
        """Return where a group ends."""


class Pattern(Protocol):
    """A compiled RE2 pattern over bytes."""

    def sub(self, repl: Callable[[Found], bytes], text: bytes, /) -> bytes:
        """Replace every match."""


Replacement = Callable[[Found], bytes | None]


def substitute(pattern: Pattern, replacement: Replacement, data: bytes) -> tuple[bytes, int]:
    """Return the data with matches replaced, and how many were; a replacement of None leaves the match alone."""
    count = 0

    def replace(found: Found) -> bytes:
        nonlocal count
        whole = found.group() or b""
        new = replacement(found)
        if new is None or new == whole:
            return whole
        count += 1
        return new

    return pattern.sub(replace, data), count
