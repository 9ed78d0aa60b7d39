"""What is read of an input: all of a paste, of a large log what matters. Not for cleaning or matching.

A large log is scanned raw, block by block. Kept are its first and last lines, and windows round the lines
that hold a key of the catalogue or a mark of trouble. Lines that differ only in digits and hexadecimal
letters are kept a few times, so that a flood of one message cannot push out another.
"""

import codecs
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from rules.engine.matching.scan.blocks import Block, Source, blocks
from rules.engine.matching.scan.index import FACT_MARKS, SignalIndex
from rules.engine.matching.scan.pages import Page, Segment, runs_of
from rules.engine.matching.scan.scanner import Scanner
from rules.engine.matching.scan.thinning import thin
from rules.engine.paste.cleaning import decode
from rules.engine.paste.reading import WHOLE, is_whole

#: bytes a line below which lines are no log, and repeated ones are left out
_SHORT_LINE = 16
#: share of characters that are none, from which on an input is no text
_NO_TEXT = 0.05

_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class WindowLimits:
    """How much of a large log is kept, in bytes."""

    head: int = 32 * 1024
    tail: int = 16 * 1024
    first: int = 512 * 1024
    #: what is kept beyond `first`, the oldest giving way
    late: int = 128 * 1024
    #: round a line of a traceback, towards its other end
    traceback: int = 24 * 1024
    before: int = 1024
    after: int = 2 * 1024
    longest_line: int = 64 * 1024
    #: times that a line is kept which differs only in digits
    copies: int = 8
    #: different lines that are remembered
    kinds: int = 20_000


DEFAULT_WINDOWS = WindowLimits()


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The text that is cleaned and searched."""

    text: str
    #: number in the original of each line of `text`; None: they are the same
    numbers: tuple[int, ...] | None = None
    #: True when only a part of the input was read; repeated lines that were left out do not count
    partial: bool = False
    #: True when some lines that looked like failures were left out
    dropped: bool = False
    #: True when a very long line was cut
    cut: bool = False

    def original(self, number: int) -> int:
        """Return the number in the original of a line of `text`, both from 1."""
        return number if self.numbers is None else self.numbers[number - 1]


def read_excerpt(
    source: Source, index: SignalIndex, scanner: Scanner, limits: WindowLimits = DEFAULT_WINDOWS
) -> Excerpt:
    """Read an input to its end and return what of it is looked at."""
    head = _filled(source, WHOLE + 1)
    whole = _whole(head)
    if whole is not None:
        return whole
    keeper = _Keeper(index, limits)
    joined = _Joined(head, source)
    for block in blocks(_Utf8(joined) if head.startswith(_UTF16_MARKS) else joined):
        keeper.feed(block, scanner.scan(block.data))
    return keeper.finish()


def _filled(source: Source, size: int) -> bytes:
    """Read until there are so many bytes or no more come: a source may give fewer at a time."""
    head = bytearray()
    while len(head) < size and (piece := source.read(size - len(head))):
        head += piece
    return bytes(head)


def _whole(head: bytes) -> Excerpt | None:
    """Return a paste that is read whole but for repeated lines; None when it is too large, or no text."""
    if not is_whole(head):
        return None
    thinned = None if head.startswith(_UTF16_MARKS) or b"\0" in head else thin(head)
    text = decode(head) if thinned is None else decode(thinned[0])
    if text.count("\ufffd") > len(text) * _NO_TEXT:
        return None
    return Excerpt(text, None if thinned is None else thinned[1])


class _Joined:
    """The bytes that were read already, then the rest of the source."""

    def __init__(self, head: bytes, rest: Source) -> None:
        self._head = memoryview(head)
        self._rest = rest

    def read(self, size: int) -> bytes:
        """Return the next bytes, none at the end."""
        if self._head:
            piece, self._head = bytes(self._head[:size]), self._head[size:]
            return piece
        return self._rest.read(size)


class _Utf8:
    """A source in UTF-16 as UTF-8, which is what keys are written in."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._decoder = codecs.getincrementaldecoder("utf-16")(errors="replace")

    def read(self, size: int) -> bytes:
        """Return about that many bytes, none at the end."""
        text = ""
        while not text:
            piece = self._source.read(size)
            text = self._decoder.decode(piece, final=not piece)
            if not piece:
                break
        return text.encode("utf-8", errors="replace")


class _Keeper:
    """Collects the segments of a large log."""

    def __init__(self, index: SignalIndex, limits: WindowLimits) -> None:
        self._signal_keys = frozenset(key for key, owners in enumerate(index.owners) if owners)
        facts = {mark.encode() for mark in FACT_MARKS}
        self._lone_keys = frozenset(key for key, one in enumerate(index.keys) if one.data in facts)
        self._lone_keys -= self._signal_keys
        self._limits = limits
        self._first: list[Segment] = []
        self._late: deque[Segment] = deque()
        self._sizes = [0, 0]
        self._kinds: dict[bytes, int] = {}
        self._repeated: dict[bytes, Segment] = {}
        self._dropped = self._cut = False
        self._previous = Page(0, 1, b"")
        self._page = self._previous
        self._until = 0
        self._wanted = limits.head

    def feed(self, block: Block, hits: list[tuple[int, int]]) -> None:
        """Take the next block and what was found in it."""
        self._previous, self._page = self._page, self._page.next(block)
        self._cut = self._cut or block.cut
        page = self._page
        if self._wanted > page.start:
            self._keep(page.start, page.line_end(min(self._wanted, page.end)))
        seen_until = 0
        waiting = deque(hits)
        while waiting:
            end, key = waiting.popleft()
            start = page.data.rfind(b"\n", seen_until, end) + 1 or seen_until
            seen_until = page.data.find(b"\n", end) + 1 or len(page.data)
            keys = {key}
            while waiting and waiting[0][0] <= seen_until:
                keys.add(waiting.popleft()[1])
            self._line(start, seen_until, end, keys)

    def finish(self) -> Excerpt:
        """Return what was kept."""
        page = self._page
        self._keep(page.line_start(page.end - self._limits.tail), page.end)
        kept = sorted([*self._first, *self._late])
        kept = sorted([*kept, *self._unkept(kept)])
        return _joined(kept, dropped=self._dropped, cut=self._cut)

    def _line(self, start: int, stop: int, hit: int, keys: set[int]) -> None:
        page, limits = self._page, self._limits
        if stop - start > limits.longest_line:
            self._cut = True
            start = max(start, hit - limits.longest_line // 2)
            stop = min(stop, hit + limits.longest_line // 2)
        line = page.data[start:stop]
        kind = line[:400].translate(None, b"0123456789abcdef")
        copies = self._kinds.get(kind, 0)
        if copies == 0 and len(self._kinds) >= limits.kinds:
            self._dropped = True
            return
        self._kinds[kind] = copies + 1
        if copies >= limits.copies:
            if keys & self._signal_keys:
                place = page.start + start
                self._repeated[kind] = Segment(place, place + len(line), page.number(start), line)
            return
        before = after = 0
        if copies == 0 and keys - self._lone_keys:
            in_traceback = b'File "' in page.data[max(0, start - 600) : start]
            before = limits.traceback if in_traceback else limits.before
            after = limits.traceback if b"Traceback (most" in line else limits.after
        self._window(page.start + start, page.start + stop, before, after)

    def _window(self, start: int, stop: int, before: int, after: int) -> None:
        page = self._page
        first = start - before
        if first < page.start:
            previous = self._previous
            self._keep(previous.line_start(max(first, previous.start)), previous.end)
            first = page.start
        self._keep(min(page.line_start(first), start) if before else start, stop)
        self._keep(stop, page.line_end(min(stop + after, page.end)))
        self._wanted = max(self._wanted, stop + after)

    def _keep(self, start: int, end: int) -> None:
        """Keep the bytes that are not yet kept; they lie in the page or in the one before it."""
        start = max(start, self._until)
        if start >= end:
            return
        page = self._page if start >= self._page.start else self._previous
        data = page.data[start - page.start : end - page.start]
        segment = Segment(start, end, page.number(start - page.start), data)
        self._until = end
        if self._sizes[0] + len(data) <= self._limits.first:
            self._first.append(segment)
            self._sizes[0] += len(data)
            return
        self._late.append(segment)
        self._sizes[1] += len(data)
        while self._sizes[1] > self._limits.late and len(self._late) > 1:
            self._sizes[1] -= len(self._late.popleft().data)
            self._dropped = True

    def _unkept(self, kept: list[Segment]) -> Iterator[Segment]:
        """Yield the last copies of repeated lines that no window holds."""
        covered = iter(kept)
        window = next(covered, None)
        for segment in sorted(self._repeated.values()):
            while window is not None and window.end <= segment.start:
                window = next(covered, None)
            if window is None or segment.end <= window.start:
                yield segment


def _joined(segments: list[Segment], *, dropped: bool, cut: bool) -> Excerpt:
    """Join the segments, an empty line standing for what was left out between two."""
    texts: list[str] = []
    numbers: list[int] = []
    for run in runs_of(segments):
        if texts:
            texts.append("")
            numbers.append(run.number - 1)
        data = run.data.removesuffix(b"\n")
        thinned = thin(data) if data.count(b"\n") * _SHORT_LINE > len(data) else None
        lines = decode(data if thinned is None else thinned[0]).split("\n")
        texts.extend(lines)
        places = range(1, len(lines) + 1) if thinned is None else thinned[1]
        numbers.extend(run.number - 1 + place for place in places)
    return Excerpt("\n".join(texts), tuple(numbers), partial=True, dropped=dropped, cut=cut)
