"""Joins a message that somebody spread over indented lines, bracket by bracket. Not for lines cut at a width."""

from collections.abc import Sequence
from typing import Final

from rules.engine.paste.cleaning import NumberedLine
from rules.engine.paste.exception_lines import read_exception_line
from rules.engine.paste.prefixes.reader import PrefixReader

_OPENERS: Final = "([{"
_CLOSERS: Final = ")]}"
_INDENTED: Final = (" ", "\t")
#: a message is spread over so many lines at most
_MOST_LINES: Final = 60
#: how a line begins that is no part of a message, however far it is indented
_NEVER_WITHIN: Final = ('File "', "^", "~~~", "raise ", "return ")


def fold(lines: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the lines, a message whose last character opens a bracket joined up to where all are closed."""
    if not any(line.text.rstrip()[-1:] in _OPENERS for line in lines if line.text.strip()):
        return list(lines)
    reader = PrefixReader()
    folded: list[NumberedLine] = []
    index = 0
    while index < len(lines):
        end = _end_of_message(lines, index, reader)
        folded.append(_joined(lines[index:end]))
        index = end
    return folded


def _end_of_message(lines: Sequence[NumberedLine], start: int, reader: PrefixReader) -> int:
    """Return the index after the last line of a message; after its first line where it is not spread."""
    first = lines[start].text
    if first.rstrip()[-1:] not in _OPENERS or not _is_message(first, reader):
        return start + 1
    open_count = _balance(first)
    for end in range(start + 1, min(len(lines), start + _MOST_LINES)):
        text = lines[end].text
        bare = text.lstrip()
        if not text.startswith(_INDENTED) and bare[:1] not in _CLOSERS:
            break
        if bare.startswith(_NEVER_WITHIN):
            break
        open_count += _balance(text)
        if open_count <= 0:
            return end + 1
    return start + 1


def _is_message(text: str, reader: PrefixReader) -> bool:
    """Tell whether a line carries the message of an exception, so that it is no code."""
    found = read_exception_line(reader.read(text).text.lstrip())
    return found is not None and bool(found.message)


def _balance(text: str) -> int:
    return sum(map(text.count, _OPENERS)) - sum(map(text.count, _CLOSERS))


def _joined(parts: Sequence[NumberedLine]) -> NumberedLine:
    """Return one line, with a blank only where a part begins or ends no bracket."""
    text = parts[0].text.rstrip() if len(parts) > 1 else parts[0].text
    for part in parts[1:]:
        bare = part.text.strip()
        tight = text[-1:] in _OPENERS or bare[:1] in _CLOSERS
        text = f"{text}{'' if tight else ' '}{bare}"
    return NumberedLine(parts[0].number, text)
