"""Chooses the exception that started it all: the innermost cause in the process that failed first."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from rules.engine.paste.evidence import EvidenceLine
from rules.engine.paste.exception_lines import find_exception_inside
from rules.engine.paste.failure_texts import (
    BEGUN,
    CODE_ENDS,
    CODE_STARTS,
    HARD_LEVELS,
    HARMLESS_FILES,
    HARMLESS_NAMES,
    NOTHING_RAISED,
    PRECURSORS,
    REQUEST_ORIGINS,
    SOFT_LEVELS,
    STARTED,
    STOPPED,
    TELLING,
    WRAPPERS,
    is_wrapper,
)
from rules.engine.paste.told.source import shown_source
from rules.engine.paste.told.talk import is_talk
from rules.engine.paste.tracebacks import Link, Raised, Traceback, read_tracebacks


class Kind(StrEnum):
    """What an exception is to the failure."""

    CAUSE = "cause"
    #: a request that the server refused while it went on serving
    REQUEST = "request"
    #: it only says that something else failed
    WRAPPER = "wrapper"
    #: a record or line that names a failure although it is no exception
    RECORD = "record"
    #: caught and logged below ERROR
    HANDLED = "handled"
    #: left behind by a clean end, or ignored by Python itself
    HARMLESS = "harmless"


@dataclass(frozen=True, slots=True)
class Judged:
    """An exception and what it is to the failure."""

    raised: Raised
    kind: Kind


@dataclass(frozen=True, slots=True)
class Echo:
    """A text that repeats or follows from the cause."""

    text: str
    count: int
    #: processes that printed it, in order
    processes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CauseReading:
    """What the exceptions of a paste say together."""

    #: the innermost cause of the process that failed first; None when there is none but wrappers
    root: Raised | None
    #: every exception, in the order printed
    judged: tuple[Judged, ...] = ()
    echoes: tuple[Echo, ...] = ()
    wrappers: tuple[Raised, ...] = ()
    #: True when a traceback ends without its exception line
    cut: bool = False
    tracebacks: tuple[Traceback, ...] = ()
    #: index of the first record of level ERROR or CRITICAL before the server was told to stop
    first_error: int | None = None
    #: indexes of lines of source code that somebody shows, which tell of no failure
    source: frozenset[int] = frozenset()
    #: True when an earlier start in the same paste failed of something else
    restarted: bool = False

    def message_lines(self) -> frozenset[int]:
        """Return the indexes of the lines that carry an exception's message."""
        found = {entry.raised.index for entry in self.judged if entry.kind is not Kind.HARMLESS}
        details = {
            entry.raised.detail_index for entry in self.judged if entry.raised.detail_index is not None
        }
        return frozenset(found | details)


def find_root_cause(lines: Sequence[EvidenceLine]) -> CauseReading:
    """Return the root cause among the lines, with its echoes and the wrappers round it."""
    tracebacks = read_tracebacks(lines)
    source = shown_source(lines)
    text = "\n".join(line.text for line in lines)
    started, stopped = _first(text, STARTED, len(lines)), _first(text, STOPPED, len(lines))
    judged = tuple(
        Judged(raised, _judge(raised, block, started, stopped))
        for block in tracebacks
        for raised in block.raised
    )
    if not any(entry.kind in {Kind.CAUSE, Kind.WRAPPER, Kind.REQUEST} for entry in judged):
        known = {entry.raised.index for entry in judged} | source
        inside: list[Judged] = []
        # of a traceback that was cut, the code that raises may be all that is left
        for code in (False, True):
            found = _inside(lines, started, stopped, code=code)
            inside = [entry for entry in found if entry.raised.index not in known]
            if any(entry.kind is Kind.CAUSE for entry in inside):
                break
        judged = (*judged, *inside)
    first = _choose(judged, tracebacks)
    root = _of_last_start(lines, judged, tracebacks, first)
    return CauseReading(
        root,
        judged,
        _echoes(judged, root),
        tuple(entry.raised for entry in judged if entry.kind is Kind.WRAPPER),
        cut=any(block.cut for block in tracebacks),
        tracebacks=tracebacks,
        first_error=next(
            (index for index, line in enumerate(lines[:stopped]) if line.level in HARD_LEVELS), None
        ),
        source=source,
        restarted=first is not root,
    )


def _first(text: str, marks: tuple[str, ...], end: int) -> int:
    """Return the index of the first line that holds one of the marks, `end` without one."""
    places = [place for place in (text.find(mark) for mark in marks) if place >= 0]
    return text.count("\n", 0, min(places)) if places else end


def _judge(raised: Raised, block: Traceback, started: int, stopped: int) -> Kind:
    if raised.ignored or (
        raised.short_name in HARMLESS_NAMES and (not raised.message or started < raised.index)
    ):
        return Kind.HARMLESS
    if block.frames and all(any(name in frame for name in HARMLESS_FILES) for frame in block.frames):
        return Kind.HARMLESS
    wrapper = is_wrapper(raised.name, raised.message)
    if wrapper:
        return Kind.HARMLESS if raised.index > stopped else Kind.WRAPPER
    if raised.level in SOFT_LEVELS:
        return Kind.HANDLED
    return Kind.REQUEST if started < raised.index and _answers_requests(raised.origin) else Kind.CAUSE


def _answers_requests(origin: str | None) -> bool:
    """Tell whether a record comes from the part of the server that answers requests."""
    return any(name in (origin or "") for name in REQUEST_ORIGINS)


def _inside(lines: Sequence[EvidenceLine], started: int, stopped: int, *, code: bool = False) -> list[Judged]:
    """Return exceptions within lines, wrappers and records of a failure, for when no line begins with one."""
    found: list[Judged] = []
    for index, line in enumerate(lines[:stopped]):
        inside = find_exception_inside(line.text, code=code)
        if inside is not None and is_talk(line):
            continue
        if inside is not None:
            kind = Kind.WRAPPER if is_wrapper(inside.name, inside.message) else Kind.CAUSE
            name, message = inside
        else:
            name, message = "", line.text.strip()
            record = _record_kind(line)
            if record is None or (started < index and _answers_requests(line.origin)):
                continue
            kind = record
        if line.level in SOFT_LEVELS:
            kind = Kind.HANDLED
        raised = Raised(index, line.number, name, message, line.process, line.pid, line.level, line.origin)
        found.append(Judged(raised, kind))
    return found


def _record_kind(line: EvidenceLine) -> Kind | None:
    """Return what a line without any exception's name says of a failure; None when it says nothing."""
    text = line.text
    if text.startswith(WRAPPERS):
        return Kind.WRAPPER if not text.startswith(("Traceback", "Dumping ")) else None
    if (
        not text
        or text == NOTHING_RAISED
        or text[0].isspace()
        or text.startswith(CODE_STARTS)
        or text.endswith(CODE_ENDS)
        or " = " in text
    ):
        return None
    if line.level in HARD_LEVELS or any(mark in text for mark in TELLING):
        return Kind.RECORD
    return None


def _choose(judged: tuple[Judged, ...], tracebacks: tuple[Traceback, ...]) -> Raised | None:
    """Return the first real exception; of a chain that explains itself, the explanation."""
    for kind in (Kind.CAUSE, Kind.REQUEST, Kind.RECORD):
        first = next((entry.raised for entry in judged if entry.kind is kind), None)
        if first is not None:
            return _explained(first, tracebacks)
    return None


def _of_last_start(
    lines: Sequence[EvidenceLine],
    judged: tuple[Judged, ...],
    tracebacks: tuple[Traceback, ...],
    first: Raised | None,
) -> Raised | None:
    """Return the cause of the last start that failed: who pastes several starts in a row asks about that one."""
    if first is None or len(judged) < 2:
        return first
    last = max((entry.raised.index for entry in judged if entry.kind is Kind.CAUSE), default=0)
    starts = (
        index
        for index in range(last, first.index, -1)
        if lines[index].level == "INFO" and any(mark in lines[index].text for mark in BEGUN)
    )
    begun = next(starts, None)
    if begun is None:
        return first
    later = tuple(entry for entry in judged if entry.raised.index > begun and entry.kind is Kind.CAUSE)
    chosen = _choose(later, tracebacks)
    return first if chosen is None or chosen.text == first.text else chosen


def _explained(first: Raised, tracebacks: tuple[Traceback, ...]) -> Raised:
    """Return what was raised to explain an exception caught on purpose, such as a KeyError of a table."""
    if first.short_name not in PRECURSORS:
        return first
    for block in tracebacks:
        if first in block.raised:
            later = block.raised[block.raised.index(first) + 1 :]
            return next(
                (
                    raised
                    for raised in later
                    if raised.link is not Link.NONE
                    and raised.short_name not in PRECURSORS
                    and not is_wrapper(raised.name, raised.message)
                ),
                first,
            )
    return first


def _echoes(judged: tuple[Judged, ...], root: Raised | None) -> tuple[Echo, ...]:
    """Return what else was raised, equal texts counted together."""
    counts: dict[str, list[Raised]] = {}
    for entry in judged:
        if entry.raised is not root and entry.kind in {Kind.CAUSE, Kind.REQUEST}:
            counts.setdefault(entry.raised.text, []).append(entry.raised)
    return tuple(
        Echo(text, len(found), tuple(dict.fromkeys(raised.process for raised in found if raised.process)))
        for text, found in counts.items()
    )
