"""Replaces what a pattern finds and counts it, in bounded time. Not for saying what is private."""

from collections.abc import Callable, Iterator
from typing import Final, Protocol

#: so many matches of one pattern are looked at; whoever sends more floods the bot, and the rest is withheld
MOST_MATCHES: Final = 6000
WITHHELD: Final = b"<withheld>"


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
    """A compiled pattern over bytes."""

    def finditer(self, text: bytes, /) -> Iterator[Found]:
        """Yield the matches, left to right."""


#: returns what stands for a match, None to leave it
Replacement = Callable[[Found], bytes | None]


def substitute(pattern: Pattern, replacement: Replacement, data: bytes) -> tuple[bytes, int]:
    """Return the data with matches replaced, and how many were; newlines outside matches are kept."""
    parts: list[bytes] = []
    count = position = 0
    for seen, found in enumerate(pattern.finditer(data)):
        if seen == MOST_MATCHES:
            rest = data[position:]
            return b"".join([*parts, WITHHELD, b"\n" * rest.count(b"\n")]), count + 1
        new = replacement(found)
        start, end = found.start(), found.end()
        if new is not None and new != data[start:end]:
            parts += [data[position:start], new]
            position = end
            count += 1
    return (b"".join([*parts, data[position:]]), count) if count else (data, 0)
