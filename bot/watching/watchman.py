"""Notices in the lines of one log that a start failed, and when it has said all it will. Pure: time comes in.

Not for what failed. A failure is handed over once the log is silent for a while or another start begins, and
before that, for a first look, once no line about it has come for a while or the program says that it gives up.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from bot.watching.kept import KeptLog
from bot.watching.marks import Look, begins_start, has_started, is_calm, look_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bot.watching.lines import Line

#: lines before a banner that belong to the same start
_PREAMBLE: Final = 60
#: lines that are looked at together first: most hold nothing
_AT_ONCE: Final = 200
#: a failure whose lines never stop is looked at after so many times the usual silence
_PATIENCE: Final = 6
#: seconds of silence after which a start that is under way hangs
_STALL_S: Final = 600.0
#: seconds that lines which turn out to be no failure are left alone, at most
_LONGEST_PAUSE_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Case:
    """A start that seems to have failed."""

    #: the log of this start so far
    log: KeptLog
    #: what came since an earlier case, where nothing tells that it belongs to the same start
    fresh: KeptLog | None = None
    #: a last line without an end
    rest: bytes = b""
    #: False: more may follow, so that only what explains itself is worth telling
    is_final: bool = True
    #: nothing looks bad, but the start says nothing any more
    is_stalled: bool = False

    def text(self) -> bytes:
        """Return the log of the start."""
        return _with_rest(self.log, self.rest)

    def fresh_text(self) -> bytes:
        """Return what came since an earlier case; empty where it is the same start's."""
        return _with_rest(self.fresh, self.rest) if self.fresh is not None else b""


def _with_rest(log: KeptLog, rest: bytes) -> bytes:
    return log.text() + b"\n" + rest if rest else log.text()


@dataclass(slots=True)
class Watchman:
    """What is known of one log."""

    quiet_s: float
    _log: KeptLog = field(default_factory=KeptLog, init=False)
    _fresh: KeptLog = field(default_factory=KeptLog, init=False)
    _recent: deque[Line] = field(default_factory=lambda: deque(maxlen=_PREAMBLE), init=False)
    _has_banner: bool = field(default=False, init=False)
    _is_again: bool = field(default=False, init=False)
    #: a banner was seen, and neither the server's answer nor a failure since
    _is_under_way: bool = field(default=False, init=False)
    _worst: Look = field(default=Look.PLAIN, init=False)
    _first_bad: float = field(default=0.0, init=False)
    _last_bad: float = field(default=0.0, init=False)
    _last_line: float = field(default=0.0, init=False)
    #: nothing bad came since it was handed over before its end
    _is_looked_at: bool = field(default=False, init=False)
    #: nothing is handed over before
    _not_before: float = field(default=0.0, init=False)
    _pause_s: float = field(default=0.0, init=False)
    #: the line without an end that was looked at last
    _seen_rest: bytes = field(default=b"", init=False)
    #: since when the server answers; None while it does not
    started_at: float | None = field(default=None, init=False)

    @property
    def is_calm(self) -> bool:
        """Tell whether nothing waits to be handed over."""
        return not self._worst

    def remember(self, lines: Iterable[Line]) -> None:
        """Take in what was there before: it tells of the present start, and raises nothing."""
        for line in lines:
            if begins_start(line.text):
                self._begin()
            self._keep(line, look_of(line.text))
        self._fresh = KeptLog()
        self._is_again = True

    def take(self, lines: Sequence[Line], now: float) -> list[Case]:
        """Take in new lines; returns the starts that ended with them because another one began."""
        cases: list[Case] = []
        self._last_line = now if lines else self._last_line
        for first in range(0, len(lines), _AT_ONCE):
            some = lines[first : first + _AT_ONCE]
            if is_calm(b"\n".join([line.text for line in some])):
                self._keep_plain(some)
            else:
                cases.extend(self._take_each(some, now))
        return cases

    def _take_each(self, lines: Sequence[Line], now: float) -> Iterator[Case]:
        for line in lines:
            if begins_start(line.text):
                if self._worst:
                    yield self._hand_over()
                self._begin()
            look = look_of(line.text)
            self._keep(line, look)
            if has_started(line.text):
                self.started_at = now
                self._is_under_way = False
            self._note(look, now)

    def due(self, now: float, rest: bytes = b"") -> Case | None:
        """Return the present start if it failed and has said all it will; `rest` is a line without an end.

        A program that dies need not end its last line.
        """
        if rest != self._seen_rest:
            self._seen_rest = rest
            self._note(look_of(rest), now)
        if not self._worst:
            return self._stalled(now, rest)
        is_silent = now - self._last_line >= self.quiet_s
        is_enough = now - self._first_bad >= _PATIENCE * self.quiet_s
        if (is_silent or is_enough) and now >= self._not_before:
            return self._hand_over(rest)
        is_quiet = now - self._last_bad >= self.quiet_s and now >= self._not_before
        if self._worst is not Look.OVER and not (is_quiet and not self._is_looked_at):
            return None
        # the rest of a traceback need not look bad, and other lines may never stop
        self._worst, self._is_looked_at = Look.BAD, True
        return Case(self._log, self._fresh_part(), rest, is_final=False)

    def _stalled(self, now: float, rest: bytes) -> Case | None:
        """Return a start that hangs, once."""
        if not self._is_under_way or now - self._last_line < _STALL_S:
            return None
        self._is_under_way = False
        return Case(self._log, None, rest, is_stalled=True)

    def end(self, now: float, rest: bytes = b"") -> Case | None:
        """Return the present start if it failed: nothing follows."""
        self._note(look_of(rest), now)
        return self._hand_over(rest) if self._worst else None

    def was_nothing(self, case: Case, now: float) -> None:
        """Hear that a case was no failure: what is like it is looked at less often."""
        if case.log is self._log:
            self._pause_s = min(max(2 * self._pause_s, self.quiet_s), _LONGEST_PAUSE_S)
            self._not_before = now + self._pause_s

    def was_failure(self) -> None:
        """Hear that a case was one: whatever answered before does not any more."""
        self.started_at = None
        self._is_under_way = False

    def _note(self, look: Look, now: float) -> None:
        if look:
            self._first_bad = self._first_bad if self._worst else now
            self._last_bad = self._last_line = now
            self._is_looked_at = False
            self._worst = max(self._worst, look)

    def _hand_over(self, rest: bytes = b"") -> Case:
        case = Case(self._log, self._fresh_part(), rest)
        self._worst = Look.PLAIN
        self._fresh = KeptLog()
        self._is_again = True
        return case

    def _fresh_part(self) -> KeptLog | None:
        return self._fresh if self._is_again and not self._has_banner else None

    def _begin(self) -> None:
        """Begin a new start with the lines that were printed just before its banner."""
        self._log, self._fresh = KeptLog(self._recent), KeptLog()
        self._has_banner, self._is_again = True, False
        self._is_under_way = True
        self._worst = Look.PLAIN
        self._not_before = self._pause_s = 0.0

    def _keep(self, line: Line, look: Look) -> None:
        self._keep_plain((line,))
        if look or has_started(line.text):
            # what stands before a failure or a success belongs to that start
            self._recent.clear()

    def _keep_plain(self, lines: Sequence[Line]) -> None:
        self._log.extend(lines)
        if self._is_again and not self._has_banner:
            self._fresh.extend(lines)
        self._recent.extend(lines)
