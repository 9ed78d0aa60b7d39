"""Texts that every match of a pattern holds: proving them, cutting them to keys. Not for searching pastes.

The prefilter looks for one literal per signal. That is right only when the pattern cannot match without it,
so the claim is proven here from the parsed pattern. Python's own parser reads the patterns of the catalogue;
no pasted text comes near it.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from rules.engine.matching.scan.benign import BENIGN_LOG

#: a part of a parsed pattern, in the parser's own shape
_Node = Any
#: the only reader of patterns that Python brings
_parser: Any = re._parser  # type: ignore[attr-defined]  # noqa: SLF001

#: shortest literal a signal may stand on: shorter ones hit everywhere and cost more than they save
SHORTEST_LITERAL = 8
#: from this length on a key is cut where its tail is rare
_ENOUGH = 12
#: the part of a key that Hyperscan's hash looks at
_TAIL = 4


class UnprovenLiteralError(ValueError):
    """A literal that a pattern can match without."""

    def __init__(self, regex: str, literal: str, reason: str) -> None:
        advice = "choose a text that every matching line holds"
        super().__init__(f"literal {literal!r} of pattern {regex!r}: {reason}; {advice}")
        self.regex = regex
        self.literal = literal
        self.reason = reason


def ignores_case(regex: str) -> bool:
    """Tell whether the whole pattern ignores case, as `(?i)` at its start says."""
    return bool(_parser.parse(regex).state.flags & re.IGNORECASE)


def required_runs(regex: str) -> tuple[str, ...]:
    """Return texts that every match holds, longest first. Raises `re.error` for what Python cannot parse."""
    parsed = _parser.parse(regex)
    runs = _Runs(caseless=bool(parsed.state.flags & re.IGNORECASE))
    runs.read(parsed)
    return tuple(sorted(set(runs.finish()), key=lambda run: (-len(run), run)))


def prove(regex: str, literal: str) -> None:
    """Raise `UnprovenLiteralError` unless every match of the pattern holds the literal."""
    if len(literal) < SHORTEST_LITERAL:
        raise UnprovenLiteralError(regex, literal, f"shorter than {SHORTEST_LITERAL} characters")
    if "\n" in literal:
        raise UnprovenLiteralError(regex, literal, "holds a line break")
    try:
        parsed = _parser.parse(regex)
    except re.error as fault:
        raise UnprovenLiteralError(regex, literal, f"the pattern cannot be parsed ({fault})") from fault
    caseless = bool(parsed.state.flags & re.IGNORECASE)
    if not _implies(parsed, literal, caseless=caseless):
        raise UnprovenLiteralError(regex, literal, "the pattern can match without it")


class TailCounts:
    """How often four bytes occur in logs without trouble."""

    def __init__(self, calm: Iterable[str] = ()) -> None:
        data = "\n".join([BENIGN_LOG, *calm]).lower().encode()
        self._counts = Counter(data[at : at + _TAIL] for at in range(len(data) - _TAIL + 1))

    def of(self, tail: bytes) -> int:
        """Return the count of four bytes, whatever their case."""
        return self._counts[tail.lower()]


def key_of(literal: str, counts: TailCounts, *, caseless: bool) -> bytes:
    """Return the prefilter's key: the longest beginning of the literal with a tail rare in healthy logs.

    A key that ignores case is lower case and plain ASCII, so that every engine means the same by it.
    """
    text = _ascii_run(literal).lower() if caseless else literal
    data = text.encode()
    if len(data) <= _ENOUGH:
        return data
    ends = range(_ENOUGH, len(data) + 1)
    return data[: min(ends, key=lambda end: (counts.of(data[end - _TAIL : end]), -end))]


def _ascii_run(literal: str) -> str:
    return max(re.split(r"[^\x00-\x7f]+", literal), key=len)


class _Runs:
    """Collects the runs of literal characters that a pattern cannot match without."""

    def __init__(self, *, caseless: bool) -> None:
        self._caseless = caseless
        self._done: list[str] = []
        self._open: list[str] = []

    def read(self, nodes: Iterable[Any]) -> None:
        for node in nodes:
            self._node(str(node[0]), node[1])

    def finish(self) -> list[str]:
        self._close()
        return self._done

    def _close(self) -> None:
        if self._open:
            self._done.append("".join(self._open))
            self._open.clear()

    def _node(self, kind: str, value: _Node) -> None:
        if kind == "LITERAL":
            self._open.append(chr(value))
        elif kind == "AT":
            return  # a boundary takes no characters: the run goes on
        elif kind == "SUBPATTERN" and _same_case(value, caseless=self._caseless):
            self.read(value[3])
        else:
            self._close()
            if kind in _REPEATS and value[0] >= 1:
                self.read(value[2])
                self._close()


_REPEATS = {"MAX_REPEAT", "MIN_REPEAT"}


def _same_case(group: _Node, *, caseless: bool) -> bool:
    """Tell whether a group keeps to the pattern's case: `(?i:...)` may not."""
    return caseless or not group[1] & re.IGNORECASE


def _implies(nodes: Iterable[Any], literal: str, *, caseless: bool) -> bool:
    parts = [(str(node[0]), node[1]) for node in nodes]
    runs = _Runs(caseless=caseless)
    runs.read(parts)
    wanted = literal.lower() if caseless else literal
    if any(wanted in (run.lower() if caseless else run) for run in runs.finish()):
        return True
    for kind, value in parts:
        if kind == "BRANCH":
            if all(_implies(branch, literal, caseless=caseless) for branch in value[1]):
                return True
        elif kind == "SUBPATTERN" and _same_case(value, caseless=caseless):
            if _implies(value[3], literal, caseless=caseless):
                return True
        elif kind in _REPEATS and value[0] >= 1 and _implies(value[2], literal, caseless=caseless):
            return True
    return False
