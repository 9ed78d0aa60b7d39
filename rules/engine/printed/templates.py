"""Compares a message with the text that source code raises. Not for finding candidates among thousands."""

from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import Final

#: stands for variable text in a template
_GAP: Final = "{}"
#: whole words that a template must hold beside its gaps, so that no other program says the same by chance
_LEAST_WORDS: Final = 5
#: whole words that are enough where a text is the beginning of a template, word for word up to its end
_LEAST_BEGUN: Final = 4
_SHORTEST_WORD: Final = 3
#: what abstract methods of any program raise
_ANYBODYS: Final = ("Subclass", "This method ", "Derived class")
#: characters of a message that are compared
_LONGEST: Final = 4000


class Fit(IntEnum):
    """How a message fits a template."""

    NOT = 0
    #: as far as it goes; the rest was cut off
    BEGINNING = 1
    WHOLE = 2


@dataclass(frozen=True, slots=True)
class Template:
    """A text that can be raised."""

    #: name of the exception without its module
    kind: str
    #: what stands between the gaps, in order; the first and the last may be empty
    parts: tuple[str, ...]
    #: the releases that hold it, a bit for each
    releases: int

    def fit(self, message: str) -> Fit:
        """Return how the message fits; costs one look at each part."""
        text = _plain(message[:_LONGEST])
        position = words = 0
        for number, part in enumerate(self.parts):
            at = text.find(part, position) if number else (0 if text.startswith(part) else -1)
            if at < 0:
                words += count_words(_beginning(part, text[position:], anywhere=number > 0))
                return Fit.BEGINNING if words >= _LEAST_BEGUN else Fit.NOT
            position = at + len(part)
            words += count_words(part)
        return Fit.WHOLE


def _beginning(part: str, rest: str, *, anywhere: bool) -> str:
    """Return the longest beginning of a part with which the rest of a text ends, or which it is."""
    if not anywhere:
        return rest if part.startswith(rest) else ""
    longest = min(len(part), len(rest))
    return next((part[:size] for size in range(longest, 0, -1) if rest.endswith(part[:size])), "")


def read_template(template: str, kind: str, releases: int, least: int = _LEAST_WORDS) -> Template | None:
    """Return a template to compare with; None for one that any program might print, in fewer words than `least`."""
    parts = tuple(_plain(part) for part in _first_line(template).split(_GAP))
    if sum(count_words(part) for part in parts) < least or template.startswith(_ANYBODYS):
        return None
    return Template(kind, parts, releases)


def key_of(parts: tuple[str, ...]) -> tuple[str, str] | None:
    """Return two neighbouring words that every message of the template holds, the first such; None without."""
    for number, part in enumerate(parts):
        words = part.split(" ")
        # a word beside a gap may be the half of one
        whole = words[1 if number else 0 : -1 if number < len(parts) - 1 else None]
        for first, second in pairwise(whole):
            if len(first) + len(second) >= 2 * _SHORTEST_WORD:
                return first, second
    return None


def count_words(part: str) -> int:
    """Return how many words of three letters and more a text holds."""
    return sum(len(word) >= _SHORTEST_WORD and word[:1].isalpha() for word in part.split())


def _first_line(template: str) -> str:
    """Return the first line: a log tells the others apart from it."""
    return template.lstrip("\n").partition("\n")[0]


def _plain(text: str) -> str:
    """Return the text with any run of blanks as one, and curled marks of the source as typed ones."""
    if "  " in text or "\t" in text:
        start, end = text[:1].isspace(), text[-1:].isspace()
        text = " " * start + " ".join(text.split()) + " " * end
    return text.replace("’", "'").replace("“", '"').replace("”", '"')
