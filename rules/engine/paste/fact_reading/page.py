"""Looks up lines of a paste by literal texts, quickly. Not for understanding them."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rules.engine.paste.evidence import EvidenceLine

#: so many lines that hold one literal are looked at
_MOST_HITS: Final = 400
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


class Page:
    """The lines of a paste, searchable as one text."""

    def __init__(self, lines: Sequence[EvidenceLine]) -> None:
        self.lines = lines
        self.text = "\n".join(line.text for line in lines)
        self._starts: list[int] = []

    def with_literal(self, literal: str) -> Iterator[tuple[int, str]]:
        """Yield index and text of the lines that hold the literal, in order."""
        position = self.text.find(literal)
        for _ in range(_MOST_HITS):
            if position < 0:
                return
            index = self._index(position)
            yield index, self.lines[index].text[:LONGEST_LINE]
            end = self.text.find("\n", position)
            position = self.text.find(literal, end) if end >= 0 else -1

    def prose(self) -> Iterator[tuple[int, str]]:
        """Yield index and text of the lines that no program printed."""
        for index, line in enumerate(self.lines):
            if line.level is None and line.process is None and not line.vllm_record and line.text:
                yield index, line.text[:LONGEST_LINE]

    def _index(self, position: int) -> int:
        if not self._starts:
            start = 0
            for line in self.lines:
                self._starts.append(start)
                start += len(line.text) + 1
        return bisect_right(self._starts, position) - 1


def is_printed(line: EvidenceLine) -> bool:
    """Tell whether a program printed the line, so that advice in it is not what somebody did."""
    return line.level is not None or line.process is not None or line.vllm_record or line.text[:1] in " \t"
