"""The next piece of a log: whole lines, masked, and within a limit. Not for where a driver keeps it.

Pieces end where lines end, so that a secret is never cut in two and seen in halves.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    from ..drivers.interface import Piece
    from ..redaction import Masker

Read = Callable[[int, int], "Piece"]
_ENDS = (b"\n", b"\r")
#: of a terminal: colours, cursor
_ESCAPE = re.compile(r"\x1b\[[0-9;?]{0,32}[ -/]{0,4}[@-~]")
#: longer lines are cut
_LINE = 16 << 10


def read_part(read: Read, masker: Masker, offset: int, limit: int, *, is_over: bool) -> dict[str, Any]:
    """Return text from `offset` on, where to go on, and how much was left out before the text.

    The last line of a server that still runs waits until it is whole.
    """
    if limit <= 0:
        return {"next_offset": offset, "text": "", "skipped_bytes": 0}
    piece = read(max(0, offset - 1), limit + 1)
    begin = piece.offset
    data = piece.data
    if offset > 0 and begin == offset - 1:
        is_line_start = data[:1] in _ENDS
        data, begin = data[1:], offset
    else:
        is_line_start = begin == 0
    if not data:
        return {"next_offset": max(offset, begin), "text": "", "skipped_bytes": 0}
    if not is_line_start:
        data, begin = _after_line(data, begin)
    kept = data if piece.is_last and is_over else data[: _last_end(data)]
    if not kept and not piece.is_last:
        # One line longer than the limit: what has no end is not shown in halves, but left out.
        return {"next_offset": begin + len(data), "text": "", "skipped_bytes": begin + len(data) - offset}
    text = "\n".join(_cut(line) for line in kept.decode("utf-8", "replace").split("\n"))
    return {
        "next_offset": begin + len(kept),
        "text": masker.text(_printable(text)),
        "skipped_bytes": max(0, begin - offset),
    }


def _after_line(data: bytes, begin: int) -> tuple[bytes, int]:
    """Leave out the rest of a line whose beginning is not at hand."""
    ends = [data.find(end) for end in _ENDS]
    found = [end for end in ends if end >= 0]
    cut = min(found) + 1 if found else len(data)
    return data[cut:], begin + cut


def _last_end(data: bytes) -> int:
    return max(data.rfind(end) for end in _ENDS) + 1


def _cut(line: str) -> str:
    return line if len(line) <= _LINE else line[:_LINE] + " [cut]"


def _printable(text: str) -> str:
    """Leave out colours, behind which a secret could hide, and the zeros of a part that was given back to the disk."""
    return _ESCAPE.sub("", text).replace("\0", "")
