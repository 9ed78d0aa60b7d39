"""Newline-aligned blocks of a binary input, in bounded memory. Not for looking into them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

#: bytes of one block
BLOCK = 256 * 1024
#: a line that is longer is cut: a match across the cut is lost, and the answer says that a limit was reached
LONGEST_LINE = 1024 * 1024


class Source(Protocol):
    """Where bytes come from."""

    def read(self, size: int, /) -> bytes:
        """Return at most that many bytes, none at the end."""


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines of the input."""

    data: bytes
    #: True when its last line was longer than `LONGEST_LINE` and goes on in the next block
    cut: bool = False


def blocks(source: Source, size: int = BLOCK, longest: int = LONGEST_LINE) -> Iterator[Block]:
    """Yield blocks of whole lines; the last may lack its newline, and lines above `longest` are cut."""
    pending: list[bytes | memoryview] = []
    held = 0
    while piece := source.read(size):
        cut_at = piece.rfind(b"\n") + 1
        if not cut_at:
            pending.append(piece)
            held += len(piece)
            if held >= longest:
                yield Block(b"".join(pending), cut=True)
                pending, held = [], 0
            continue
        pending.append(memoryview(piece)[:cut_at])
        yield Block(b"".join(pending))
        rest = piece[cut_at:]
        pending, held = ([rest], len(rest)) if rest else ([], 0)
    if pending:
        yield Block(b"".join(pending))
