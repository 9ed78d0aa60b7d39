"""Cuts what is read into lines of bounded length. Not for what a line says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

#: of a longer line the middle is left out
LONGEST: Final = 1 << 16
#: what is kept of the end of such a line
_END: Final = 1 << 12


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end."""

    #: of its first byte, where it was read
    offset: int
    text: bytes


class LineCutter:
    """Holds the beginning of a line until its end comes; never more of it than `LONGEST`."""

    def __init__(self, offset: int = 0) -> None:
        self._offset = offset
        self._read = offset
        self._kept = b""

    @property
    def offset(self) -> int:
        """Return where the next byte is to be read."""
        return self._read

    @property
    def begun(self) -> int:
        """Return where the line begins whose end has not come yet."""
        return self._offset

    @property
    def rest(self) -> bytes:
        """Return the line whose end has not come yet."""
        return self._kept

    def cut(self, data: bytes) -> list[Line]:
        """Return the lines that end in a piece; the piece follows on what was cut before."""
        *whole, rest = data.split(b"\n")
        lines: list[Line] = []
        for text in whole:
            lines.append(Line(self._offset, _plain(_shortened(self._kept + text))))
            self._kept = b""
            self._read += len(text) + 1
            self._offset = self._read
        self._read += len(rest)
        self._kept = _shortened(self._kept + rest)
        return lines

    def end(self) -> list[Line]:
        """Return the last line, for nothing follows on it."""
        lines = [Line(self._offset, _plain(self._kept))] if self._kept else []
        self._offset, self._kept = self._read, b""
        return lines


def _shortened(text: bytes) -> bytes:
    """Return a line of bounded length: of a bar that is drawn over and over its last state, else both ends."""
    if len(text) <= LONGEST:
        return text
    _, drawn_over, last = text[-LONGEST:].removesuffix(b"\r").rpartition(b"\r")
    return last if drawn_over else text[: LONGEST - _END] + text[-_END:]


def _plain(text: bytes) -> bytes:
    """Return a line without what a hole in a file and another system's line end leave in it."""
    return text.removesuffix(b"\r").replace(b"\0", b"")
