"""Looks up lines of a paste by literal texts, quickly. Not for understanding them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import re2

from rules.engine.paste.evidence import EvidenceLine

#: so many lines that hold one literal are looked at
_MOST_HITS: Final = 400
#: so many lines that hold any known literal are kept
_MOST_CANDIDATES: Final = 3000
#: so much of a line is looked at
LONGEST_LINE: Final = 20_000


@dataclass(frozen=True, slots=True)
class Said:
    """A statement found in a paste."""

    value: str
    #: how far it is believed: 5 for a program about itself, 1 for a person in passing
    weight: int
    #: number of the line in the original paste
    number: int


class Match(Protocol):
    """A match, as far as looking up lines needs it."""

    def start(self, group: int = 0, /) -> int:
        """Return where it begins."""


class Pattern(Protocol):
    """A compiled pattern over bytes."""

    def finditer(self, text: bytes, /) -> Iterator[Match]:
        """Yield the matches, left to right."""


class Page:
    """The lines of a paste, searchable by literals that are known beforehand."""

    def __init__(self, lines: Sequence[EvidenceLine], literals: Pattern) -> None:
        """Find the lines that hold any of the literals, see `any_of`."""
        self.lines = lines
        self.data = "\n".join(line.text for line in lines).encode("utf-8", "surrogatepass")
        self._candidates = list(self.matching(literals, _MOST_CANDIDATES))

    def with_literal(self, literal: str) -> Iterator[tuple[int, str]]:
        """Yield index and text of the lines that hold the literal, in order."""
        hits = 0
        for index, text in self._candidates:
            if literal in text:
                yield index, text
                hits += 1
                if hits == _MOST_HITS:
                    return

    def holds(self, literal: str) -> bool:
        """Tell whether a line holds the literal."""
        return any(literal in text for _, text in self._candidates)

    def matching(self, pattern: Pattern, most: int = _MOST_HITS) -> Iterator[tuple[int, str]]:
        """Yield index and text of the lines in which a pattern over bytes is found, in order."""
        data = self.data
        line = position = 0
        hits = 0
        for found in pattern.finditer(data):
            start = found.start()
            if start < position:
                continue
            line += data.count(b"\n", position, start)
            yield line, self.lines[line].text[:LONGEST_LINE]
            end = data.find(b"\n", start)
            hits += 1
            if end < 0 or hits == most:
                return
            line += 1
            position = end + 1


def any_of(*literals: str) -> Pattern:
    """Return a pattern that finds a line with any of the literals."""
    pattern: Pattern = re2.compile(
        "|".join(re2.escape(literal) for literal in dict.fromkeys(literals)).encode()
    )
    return pattern


def is_printed(line: EvidenceLine) -> bool:
    """Tell whether a program printed the line, so that advice in it is not what somebody did."""
    return line.level is not None or line.process is not None or line.vllm_record or line.text[:1] in " \t"
