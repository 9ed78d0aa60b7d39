"""Where signals fired: the record that conditions and ranking read. Not for finding hits."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Self

_NO_CAPTURES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Hit:
    """One line on which a signal fired."""

    #: index into `Evidence.lines`
    line: int
    captures: Mapping[str, str] = field(default_factory=lambda: _NO_CAPTURES)
    #: captures at the very start or end of the line, where what they name may be cut
    edges: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class RuleHits:
    """All hits of one rule."""

    #: hits by signal, each in the order of the lines; signals that did not fire are absent
    signals: Mapping[str, tuple[Hit, ...]]
    #: signals of which some candidates were not looked at, so that their silence proves nothing
    uncertain: frozenset[str] = frozenset()

    def of(self, signal: str) -> tuple[Hit, ...]:
        """Return the hits of one signal."""
        return self.signals.get(signal, ())

    def only(self, signals: frozenset[str]) -> Self:
        """Return the hits of some of the signals."""
        kept = {name: hits for name, hits in self.signals.items() if name in signals}
        return replace(self, signals=kept, uncertain=self.uncertain & signals)


@dataclass(frozen=True, slots=True)
class Hits:
    """The outcome of a scan, before any condition is asked."""

    #: by id of the rule; rules of which no signal fired are absent
    rules: Mapping[str, RuleHits]
    #: rules of which a limit was reached
    capped: frozenset[str] = frozenset()
    #: how many texts were given to RE2, which grows with the input and never faster
    searched: int = 0
