"""What is kept of the log of one start: its beginning and its end, in bounded memory. Not for judging it."""

from __future__ import annotations

import zlib
from collections import deque
from typing import TYPE_CHECKING, Final

from bot.watching.lines import Line

if TYPE_CHECKING:
    from collections.abc import Iterable

#: bytes of the beginning: banner, arguments, the machine
_FIRST: Final = 1 << 17
#: bytes of the end
_LAST: Final = 3 << 17


class KeptLog:
    """Lines of one start, of which the middle is forgotten when there are too many."""

    def __init__(self, lines: Iterable[Line] = ()) -> None:
        self._first: list[Line] = []
        self._last: deque[Line] = deque()
        self._first_size = 0
        self._last_size = 0
        self._forgotten = 0
        self.extend(lines)

    def __bool__(self) -> bool:
        return bool(self._first)

    @property
    def offset(self) -> int:
        """Return where its first line begins; 0 where there is none."""
        return self._first[0].offset if self._first else 0

    @property
    def identity(self) -> int:
        """Return what tells this log from others of the same file, at the same place before it was truncated too."""
        first = self._first[0] if self._first else Line(0, b"")
        return zlib.crc32(b"%d %s" % (first.offset, first.text))

    def extend(self, lines: Iterable[Line]) -> None:
        """Add lines at the end."""
        for line in lines:
            size = len(line.text) + 1
            # the first line may be longer than all that is kept of a beginning
            if not self._last and (not self._first or self._first_size + size <= _FIRST):
                self._first.append(line)
                self._first_size += size
                continue
            self._last.append(line)
            self._last_size += size
        while self._last_size > _LAST:
            self._last_size -= len(self._last.popleft().text) + 1
            self._forgotten += 1

    def text(self) -> bytes:
        """Return all that is kept."""
        return b"\n".join(line.text for line in (*self._first, *self._last))

    def number(self, kept_number: int) -> int:
        """Return which line of the start the line with this number of `text` is, from 1."""
        return kept_number if kept_number <= len(self._first) else kept_number + self._forgotten
