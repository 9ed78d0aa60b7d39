"""Pieces of a large log with their places and line numbers. Not for choosing which are kept."""

from collections.abc import Iterator
from itertools import accumulate, groupby
from operator import itemgetter
from typing import NamedTuple

from rules.engine.matching.scan.blocks import Block


class Segment(NamedTuple):
    """Lines that are kept, by their place in bytes and their first number."""

    start: int
    end: int
    number: int
    data: bytes


class Page:
    """A block with its place in the input, whose lines are counted as far as they are asked for."""

    def __init__(self, start: int, first_line: int, data: bytes) -> None:
        self.start = start
        self.data = data
        self.end = start + len(data)
        self._counted = 0
        self._line = first_line

    def next(self, block: Block) -> "Page":
        """Return the page that follows."""
        return Page(self.end, self.number(len(self.data)), block.data)

    def number(self, at: int) -> int:
        """Return the number of the line at a place in the page."""
        if at < self._counted:
            return self._line - self.data.count(b"\n", at, self._counted)
        self._line += self.data.count(b"\n", self._counted, at)
        self._counted = at
        return self._line

    def line_start(self, place: int) -> int:
        """Return the first start of a line from a place of the input on, the place when there is none."""
        at = max(place - self.start, 0)
        if at == 0 or self.data[at - 1 : at] == b"\n":
            return self.start + at
        return self.start + (self.data.find(b"\n", at) + 1 or at)

    def line_end(self, place: int) -> int:
        """Return the last end of a line up to a place of the input, the place when there is none."""
        at = place - self.start
        return self.start + (self.data.rfind(b"\n", 0, at) + 1 or at)


def runs_of(segments: list[Segment]) -> list[Segment]:
    """Join segments that touch."""
    runs: list[Segment] = []
    for _, group in groupby(zip(segments, accumulate(_gaps(segments)), strict=True), key=itemgetter(1)):
        touching = [segment for segment, _ in group]
        data = b"".join(segment.data for segment in touching)
        runs.append(Segment(touching[0].start, touching[-1].end, touching[0].number, data))
    return runs


def _gaps(segments: list[Segment]) -> Iterator[bool]:
    """Yield for each segment whether something is left out before it."""
    until = 0
    for segment in segments:
        yield segment.start != until
        until = segment.end
