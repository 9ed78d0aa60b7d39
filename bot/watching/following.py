"""Follows a file by its name, as `tail -F` does: through rotation, truncation and replacement. Not for what it says.

A file that is renamed is read to its end, also what is written to it after another has its name. A file that
was truncated and has grown past the place that was read is told by its first bytes, which are others then.
"""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.watching.lines import Line, LineCutter

if TYPE_CHECKING:
    from collections.abc import Callable

#: bytes that are read of one file before others get their turn
_TURN: Final = 1 << 20
_BLOCK: Final = 1 << 18
#: bytes before the end that are looked at for how the present start began
_BEFORE: Final = 1 << 19
#: first bytes by which a file is told from another one under the same number
_HEAD: Final = 128
#: files that lost their name and are still written to
_MOST_FORMER: Final = 4


class Remark(StrEnum):
    """What happened to a file, for the person who follows it."""

    MISSING = "is not there yet; it is read from its beginning once it is"
    APPEARED = "is there now"
    GONE = "has gone; it is read from its beginning once it is there again"
    REPLACED = "was replaced; the new file is read from its beginning"
    TRUNCATED = "was truncated; it is read from its beginning"
    FORBIDDEN = "may not be read any more; it is tried again"


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a file, to go on from after the program was away."""

    device: int
    inode: int
    offset: int
    #: the file's first bytes, in hexadecimal digits
    head: str


@dataclass(slots=True)
class _Opened:
    number: int
    device: int
    inode: int
    cutter: LineCutter
    head: bytes = b""

    def size(self) -> int:
        return os.fstat(self.number).st_size

    def read(self, limit: int) -> list[Line]:
        """Return the lines that end in the next bytes."""
        lines: list[Line] = []
        while limit > 0:
            data = os.pread(self.number, min(_BLOCK, limit), self.cutter.offset)
            if not data:
                break
            limit -= len(data)
            lines.extend(self.cutter.cut(data))
        if len(self.head) < _HEAD:
            self.head = os.pread(self.number, _HEAD, 0)
        return lines

    def is_other(self) -> bool:
        """Tell whether what was read is not there any more."""
        return self.size() < self.cutter.offset or not os.pread(self.number, _HEAD, 0).startswith(self.head)

    def begin_again(self) -> list[Line]:
        """Go to the first byte that is data; returns the line that was never ended."""
        lines = self.cutter.end()
        # a writer that was not told leaves a hole before its next line
        self.cutter = LineCutter(_first_data(self.number))
        self.head = b""
        return lines


def _first_data(number: int) -> int:
    try:
        return os.lseek(number, 0, os.SEEK_DATA)
    except (OSError, AttributeError):
        return 0


@dataclass(slots=True)
class Follower:
    """One file by its name. `look` at it from time to time; nothing is read in between."""

    path: str
    #: hears what happens to the file
    remark: Callable[[Remark], None] = lambda _: None
    #: there may be more to read at once
    is_full: bool = field(default=False, init=False)
    #: a name may always get another file
    is_ended: bool = field(default=False, init=False)
    #: lines that were there already where reading began at the end
    before: list[Line] = field(default_factory=list, init=False)
    _now: _Opened | None = field(default=None, init=False)
    _former: list[_Opened] = field(default_factory=list, init=False)
    _said: Remark | None = field(default=None, init=False)

    def open(self, *, from_start: bool = False, mark: Mark | None = None) -> None:
        """Begin at the file's end, at its start, or where an earlier life was. Raises `OSError`.

        A file that is not there is waited for.
        """
        opened = self._open()
        if opened is None:
            self._say(Remark.MISSING)
            return
        self._now = opened
        if mark is not None:
            head = os.pread(opened.number, _HEAD, 0)
            is_same = (opened.device, opened.inode) == (mark.device, mark.inode)
            if is_same and opened.size() >= mark.offset and head.startswith(bytes.fromhex(mark.head)):
                self.before = _skip_to(opened, mark.offset)
        elif not from_start:
            self.before = _skip_to(opened, opened.size())
        opened.head = os.pread(opened.number, _HEAD, 0)

    def close(self) -> None:
        """Let go of every file."""
        for opened in (*self._former, *((self._now,) if self._now else ())):
            os.close(opened.number)
        self._former, self._now = [], None

    def mark(self) -> Mark | None:
        """Return the place to go on from: where the next line begins."""
        now = self._now
        if now is None:
            return None
        return Mark(now.device, now.inode, now.cutter.begun, now.head.hex())

    @property
    def rest(self) -> bytes:
        """Return the line whose end has not come yet."""
        return self._now.cutter.rest if self._now is not None else b""

    @property
    def identity(self) -> tuple[int, int]:
        """Return what tells the file that has the name from others."""
        return (self._now.device, self._now.inode) if self._now is not None else (0, 0)

    def look(self) -> list[Line]:
        """Return the lines that were ended since the last look; `is_full` tells that there may be more."""
        lines: list[Line] = []
        for opened in self._former:
            lines.extend(opened.read(_TURN))
        now = self._now
        if now is not None:
            if now.is_other():
                lines.extend(now.begin_again())
                self._say(Remark.TRUNCATED)
            lines.extend(now.read(_TURN))
        self.is_full = now is not None and now.size() > now.cutter.offset
        if not self.is_full:
            lines.extend(self._look_at_name())
        return lines

    def _look_at_name(self) -> list[Line]:
        """Go over to the file that has the name now."""
        try:
            found = Path(self.path).stat()
            if self._now is not None and (found.st_dev, found.st_ino) == self.identity:
                self._said = None
                return []
            opened = self._open()
        except OSError as error:
            self._say(Remark.GONE if _is_absence(error) else Remark.FORBIDDEN)
            return []
        if opened is None:
            return []
        lines: list[Line] = []
        if self._now is not None:
            lines = self._now.read(_TURN)
            self._former.append(self._now)
        self._say(
            Remark.REPLACED if self._now is not None and self._said is not Remark.GONE else Remark.APPEARED
        )
        self._now = opened
        lines.extend(self._leave_former())
        self.is_full = True
        return [*lines, *opened.read(_TURN)]

    def _leave_former(self) -> list[Line]:
        lines: list[Line] = []
        while len(self._former) > _MOST_FORMER:
            oldest = self._former.pop(0)
            lines.extend((*oldest.read(_TURN), *oldest.cutter.end()))
            os.close(oldest.number)
        return lines

    def _open(self) -> _Opened | None:
        """Return the file that has the name; None when there is none. Raises `OSError`."""
        try:
            number = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError as error:
            if _is_absence(error):
                return None
            raise
        found = os.fstat(number)
        if stat.S_ISDIR(found.st_mode):
            os.close(number)
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), self.path)
        return _Opened(number, found.st_dev, found.st_ino, LineCutter())

    def _say(self, remark: Remark) -> None:
        """Say what happened, a lasting state once."""
        if remark in {Remark.MISSING, Remark.GONE, Remark.FORBIDDEN} and self._said in {
            remark,
            Remark.MISSING,
        }:
            return
        self._said = remark
        self.remark(remark)


def _is_absence(error: OSError) -> bool:
    return error.errno in {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}


def _skip_to(opened: _Opened, end: int) -> list[Line]:
    """Go to the last line that begins before a place; returns some of the lines before it."""
    begin = max(0, end - _BEFORE)
    opened.cutter = LineCutter(begin)
    lines = opened.read(end - begin)
    # the first of them may have begun earlier
    return lines[1:] if begin else lines
