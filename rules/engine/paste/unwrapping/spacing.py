"""Closes up the blanks that reading from a picture puts before marks. Not for lines that were broken."""

from collections.abc import Sequence
from typing import Final

import re2

from rules.engine.paste.cleaning import NumberedLine

_BEFORE_MARKS: Final = (" :", " .", " ,", " ;")
#: an exception whose colon stands apart, and sentences whose marks do: programs print neither
_APART: Final = re2.compile(
    r"(?:Error|Exception) [:] |[a-z0-9\])}'\"] [.] [A-Z]|[a-z0-9\])}'\"] [.]$|[A-Za-z0-9\])}'\"] , ['\"A-Za-z]"
)
#: so often they must stand apart, unless an exception's colon does
_OFTEN: Final = 2
_MARK: Final = re2.compile(r"([\w\])}'\"]) ([.,:;])(\s|$)")
_MEMBER: Final = re2.compile(r"(Enum|_Backend) ?\. ?([A-Z])")


def close_up(lines: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the lines with marks behind their words, where a text was read from a picture."""
    apart = [line for line in lines if any(mark in line.text for mark in _BEFORE_MARKS)]
    found = [line.text for line in apart if _APART.search(line.text) is not None]
    if len(found) < _OFTEN and not any("Error : " in text or "Exception : " in text for text in found):
        return list(lines)
    return [NumberedLine(line.number, _closed(line.text)) for line in lines]


def _closed(text: str) -> str:
    if not any(mark in text for mark in _BEFORE_MARKS):
        return text
    return str(_MEMBER.sub(r"\1.\2", _MARK.sub(r"\1\2\3", text)))
