"""From the prefilter's candidates to hits: RE2 on the distinct lines of each signal. Not for conditions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, cast

import re2

from rules.engine.matching.hits import Hit, Hits, RuleHits
from rules.engine.matching.scan.blocks import BLOCK
from rules.engine.matching.scan.index import SignalIndex
from rules.engine.matching.scan.scanner import Scanner
from rules.engine.paste.evidence import Evidence, EvidenceLine
from rules.engine.rule.model import Scope

#: levels of records that tell of no failure
_CALM = frozenset({"INFO", "DEBUG", "WARNING", "WARN", "TRACE", "NOTICE"})


@dataclass(frozen=True, slots=True)
class Limits:
    """How much work one paste may cause."""

    #: distinct lines that are searched for one signal
    texts_per_signal: int = 2_000
    #: characters of lines that are searched, all signals together
    characters: int = 16 * 1024 * 1024


DEFAULT_LIMITS = Limits()


class Found(Protocol):
    """What is used of a match of RE2, whose package has no types."""

    def groupdict(self) -> dict[str, str | None]:
        """Return the captures by name."""


class Pattern(Protocol):
    """What is used of a compiled pattern of RE2."""

    def search(self, text: str) -> Found | None:
        """Return the leftmost match."""


class Matcher:
    """The signals of a catalogue, ready to be looked for. It belongs to one thread."""

    def __init__(self, index: SignalIndex, scanner: Scanner, limits: Limits = DEFAULT_LIMITS) -> None:
        self.index = index
        self.scanner = scanner
        self._limits = limits
        self._patterns: dict[int, Pattern] = {}

    def match(self, evidence: Evidence, code: frozenset[int]) -> Hits:
        """Return where signals fired. `code` are lines that are frames or source of a traceback."""
        run = _Run(self.index, evidence, code, self._limits)
        for signal, lines in self._candidates(evidence).items():
            run.verify(signal, self._pattern(signal), lines)
        return run.hits()

    def _pattern(self, signal: int) -> Pattern:
        pattern = self._patterns.get(signal)
        if pattern is None:
            pattern = self._patterns[signal] = compile_pattern(self.index.signals[signal].regex)
        return pattern

    def _candidates(self, evidence: Evidence) -> dict[int, dict[int, None]]:
        """Return per signal the lines that hold its key, ascending."""
        data = evidence.text().encode()
        candidates: dict[int, dict[int, None]] = {}
        line = start = 0
        while start < len(data):
            end = _block_end(data, start)
            block = data if start == 0 and end == len(data) else data[start:end]
            counted = 0
            for at, key in self.scanner.scan(block):
                line += block.count(b"\n", counted, at)
                counted = at
                for signal in self.index.owners[key]:
                    candidates.setdefault(signal, {})[line] = None
            line += block.count(b"\n", counted)
            start = end
        return candidates


def _block_end(data: bytes, start: int) -> int:
    if len(data) - start <= BLOCK:
        return len(data)
    return data.rfind(b"\n", start, start + BLOCK) + 1 or data.find(b"\n", start + BLOCK) + 1 or len(data)


def compile_pattern(regex: str) -> Pattern:
    """Return a compiled pattern. Raises `re2.error` when RE2 cannot read it."""
    options = re2.Options()
    options.log_errors = False
    return cast(Pattern, re2.compile(regex, options))


class _Run:
    """One pass of verification, which keeps count of its work."""

    def __init__(self, index: SignalIndex, evidence: Evidence, code: frozenset[int], limits: Limits) -> None:
        self._index = index
        self._lines = evidence.lines
        self._code = code
        self._limits = limits
        self._characters = limits.characters
        self._found: dict[str, dict[str, tuple[Hit, ...]]] = {}
        self._uncertain: dict[str, set[str]] = {}
        self._searched = 0

    def verify(self, place: int, pattern: Pattern, lines: Mapping[int, None]) -> None:
        """Search the candidate lines of one signal."""
        signal = self._index.signals[place]
        known: dict[str, Hit | None] = {}
        hits: list[Hit] = []
        for number in lines:
            line = self._lines[number]
            if not in_scope(signal.scope, line, code=number in self._code):
                continue
            if line.text not in known:
                if self._exhausted(known, line):
                    self._uncertain.setdefault(signal.rule, set()).add(signal.name)
                    break
                known[line.text] = self._search(pattern, number)
            found = known[line.text]
            if found is not None:
                hits.append(Hit(number, found.captures, found.edges))
        if hits:
            self._found.setdefault(signal.rule, {})[signal.name] = tuple(hits)

    def _exhausted(self, known: Mapping[str, object], line: EvidenceLine) -> bool:
        return len(known) >= self._limits.texts_per_signal or len(line.text) > self._characters

    def _search(self, pattern: Pattern, number: int) -> Hit | None:
        text = self._lines[number].text
        self._searched += 1
        self._characters -= len(text)
        match = pattern.search(text)
        if match is None:
            return None
        captures = {name: value for name, value in match.groupdict().items() if value is not None}
        whole = text.strip()
        edges = (name for name, value in captures.items() if whole.startswith(value) or whole.endswith(value))
        return Hit(number, captures, frozenset(edges))

    def hits(self) -> Hits:
        """Return what was found."""
        uncertain = {rule: frozenset(names) for rule, names in self._uncertain.items()}
        rules = {
            rule: RuleHits(signals, uncertain.get(rule, frozenset())) for rule, signals in self._found.items()
        }
        return Hits(rules, frozenset(self._uncertain), self._searched)


def in_scope(scope: Scope, line: EvidenceLine, *, code: bool) -> bool:
    """Tell whether a signal of that scope may fire on the line.

    Source lines in a traceback quote texts that were not printed; records of calm levels tell of no failure.
    """
    if scope is Scope.ANY:
        return True
    if code:
        return False
    return scope is Scope.RECORD or line.level is None or line.level.upper() not in _CALM
