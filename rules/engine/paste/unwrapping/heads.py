"""Mends log prefixes that were broken together with their line. Not for the text after them."""

from collections.abc import Sequence
from typing import Final

from rules.engine.paste.cleaning import NumberedLine
from rules.engine.paste.exception_lines import is_exception_line
from rules.engine.paste.prefixes.prefixed import LEVELS
from rules.engine.paste.prefixes.reader import PrefixReader

#: shorter lines were not broken within a prefix
_SHORTEST: Final = 20
#: the longest part of a record before its text
_LONGEST_HEAD: Final = 90
_SERIOUS: Final = frozenset({"WARNING", "ERROR", "CRITICAL"})
#: how the rest of a broken prefix can begin: a level, a tag
_HEAD_INITIALS: Final = frozenset("DIWEC(")


class Lines:
    """Lines of which some are already joined from parts, and the widths they had."""

    def __init__(self) -> None:
        self.lines: list[NumberedLine] = []
        #: length of the last physical part and of the longest, by index of the joined line
        self._widths: dict[int, tuple[int, int]] = {}
        self._parts: dict[int, int] = {}

    def add(self, line: NumberedLine, widths: tuple[int, int] | None = None, parts: int = 1) -> None:
        """Add a line; `widths` and the number of parts if it was joined."""
        if widths is not None:
            self._widths[len(self.lines)] = widths
            self._parts[len(self.lines)] = parts
        self.lines.append(line)

    def follows(self, index: int) -> bool:
        """Tell whether a line stood right below the one before it; blank lines between them are not kept."""
        first, parts = self.lines[index - 1].number, self._parts.get(index - 1, 1)
        return self.lines[index].number - first <= parts

    def last(self, index: int) -> int:
        """Return the length of the last part of a line."""
        joined = self._widths.get(index)
        return len(self.lines[index].text.rstrip()) if joined is None else joined[0]

    def widest(self, index: int) -> int:
        """Return the length of the longest part of a line."""
        joined = self._widths.get(index)
        return len(self.lines[index].text.rstrip()) if joined is None else joined[1]


def mend_heads(lines: Sequence[NumberedLine], reader: PrefixReader) -> Lines:
    """Return the lines, with the parts of a broken log prefix joined if they then make a prefix."""
    mended = Lines()
    index = 0
    while index < len(lines):
        line = lines[index]
        index += 1
        if index == len(lines) or not _is_broken_head(line.text, reader):
            mended.add(line)
            continue
        text, last = line.text, len(line.text.rstrip())
        widest, parts = last, 1
        while index < len(lines) and len(text) <= 2 * _LONGEST_HEAD and _is_broken_head(text, reader):
            whole = _whole_head(text, lines[index].text, reader)
            if whole is None:
                break
            text, last = whole, len(lines[index].text.rstrip())
            widest, parts = max(widest, last), parts + 1
            index += 1
        mended.add(NumberedLine(line.number, text), (last, widest), parts)
    return mended


def _is_broken_head(text: str, reader: PrefixReader) -> bool:
    """Tell whether a line ends within or right after its log prefix."""
    first = text[:1]
    if (first != "(" and first not in "DIWEC") or len(text) < _SHORTEST:
        return False
    rest = text[text.rfind(") ", 0, _LONGEST_HEAD) + 2 :] if first == "(" else text
    if (
        len(rest) > _LONGEST_HEAD
        or (rest and rest[0] not in _HEAD_INITIALS)
        or ("]" in rest and rest[-1] not in "] ")
    ):
        return False
    found = reader.read(text)
    if not found.text:
        return found.level is None or found.level in _SERIOUS
    level = found.text.partition(" ")[0]
    tag = found.text[0] == "(" and found.process is not None and ")" not in found.text
    starts_level = tag or any(name.startswith(level) for name in LEVELS)
    return starts_level and "]" not in found.text and len(found.text) < _LONGEST_HEAD and found.origin is None


def _whole_head(head: str, following: str, reader: PrefixReader) -> str | None:
    """Return both joined if a record's prefix comes out of it; None leaves them apart."""
    if following[:1] == "(" or following.startswith(("  ", "\t")):
        return None
    ahead = reader.read(head)
    if ahead.origin is not None:
        # The prefix is whole and its text on the next line: believable for the line of an exception only.
        bare = following.lstrip()
        return f"{head.rstrip()} {bare}" if is_exception_line(bare) else None
    spaced = f"{head.rstrip()} {following.lstrip()}"
    candidates = (spaced, head + following) if _ends_whole(head) else (head + following, spaced)
    for candidate in candidates:
        found = reader.read(candidate)
        if found.origin is not None and found.vllm_record and reader.read(following).vllm_record is False:
            return candidate
    if (
        not ahead.text
        and following.lstrip().startswith(tuple(LEVELS))
        and reader.read(spaced).origin is not None
    ):
        return spaced
    going_on = following[:1].isdigit() or following.startswith("pid=")
    return spaced if going_on and (_is_broken_head(spaced, reader) or reader.read(spaced).origin) else None


def _ends_whole(head: str) -> bool:
    """Tell whether a broken prefix ends with a whole part: a tag, a level, a date or a time."""
    part = head.rstrip().split(" ")[-1]
    return (
        part.endswith(")")
        or part in LEVELS
        or (len(part) == 8 and part.count(":") == 2)
        or (len(part) == 5 and part[2] == "-")
    )
