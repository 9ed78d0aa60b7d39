"""Follows standard input or a named pipe, which have no past and no place to go back to. Not for files."""

from __future__ import annotations

import os
import select
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.watching.lines import Line, LineCutter

if TYPE_CHECKING:
    from bot.watching.following import Mark

_TURN: Final = 1 << 20
_BLOCK: Final = 1 << 16


def is_stream(path: str) -> bool:
    """Tell whether a name is a pipe, a terminal or a socket, rather than a file that stays. Raises `OSError`."""
    try:
        mode = Path(path).stat().st_mode
    except FileNotFoundError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


@dataclass(slots=True)
class Stream:
    """What is written into a descriptor; it is never waited for."""

    number: int
    #: one that ends for good; a named pipe may get another writer
    ends: bool = True
    is_full: bool = field(default=False, init=False)
    is_ended: bool = field(default=False, init=False)
    identity: tuple[int, int] = field(default=(0, 0), init=False)
    _cutter: LineCutter = field(default_factory=LineCutter, init=False)

    @classmethod
    def of_pipe(cls, path: str) -> Stream:
        """Open a named pipe, whether or not somebody writes into it. Raises `OSError`."""
        return cls(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), ends=False)

    @property
    def rest(self) -> bytes:
        """Return the line whose end has not come yet."""
        return self._cutter.rest

    @property
    def before(self) -> list[Line]:
        """Return nothing: what was written before is gone."""
        return []

    def mark(self) -> Mark | None:
        """Return nothing: there is no going back."""
        return None

    def look(self) -> list[Line]:
        """Return the lines that were ended since the last look; `is_full` tells that there may be more."""
        lines: list[Line] = []
        taken = 0
        while taken < _TURN and not self.is_ended and self._has_something():
            data = self._read()
            if not data:
                break
            taken += len(data)
            lines.extend(self._cutter.cut(data))
        # a pipe holds little: whoever fills it writes on as soon as it is read
        self.is_full = taken >= _BLOCK // 2
        return lines

    def close(self) -> None:
        """Let go of a pipe that was opened here."""
        if not self.ends:
            os.close(self.number)

    def _has_something(self) -> bool:
        poll = select.poll()
        poll.register(self.number, select.POLLIN)
        return bool(poll.poll(0))

    def _read(self) -> bytes:
        try:
            data = os.read(self.number, _BLOCK)
        except BlockingIOError:
            return b""
        except OSError:
            # a terminal that was hung up
            data = b""
        if not data and self.ends:
            self.is_ended = True
        return data
