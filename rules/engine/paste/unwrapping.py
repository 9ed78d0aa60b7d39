"""Joins lines that a terminal, a mail client or a hand broke. Not for larger logs, which are read as they are.

Joining what does not belong together would hide a cause, so two lines are joined only if the first cannot be complete
and the second cannot be a beginning. The widths of all lines of a run must fit one wrapping width.
"""

from collections.abc import Sequence
from typing import Final

from rules.engine.paste.cleaning import NumberedLine
from rules.engine.paste.exception_lines import is_exception_line, read_exception_line
from rules.engine.paste.prefixes import LEVELS, PrefixReader
from rules.engine.paste.vocabulary import belongs_together, is_dangling, is_word

#: shorter lines were not broken by a terminal
_NARROWEST: Final = 30
_WIDEST: Final = 400
#: one logical line is joined from so many physical ones at most
_MOST_PARTS: Final = 200
_CLOSERS: Final = ".!?:;)]}'\"`。！？：；）”"
_BEGINNINGS: Final = (
    *(
        "Traceback (",
        'File "',
        "Exception ignored in",
        "During handling",
        "The above exception",
        "Process ",
        "usage:",
        "Loading ",
        "Capturing ",
    ),
    *("$ ", "# ", "- ", "* ", "raise ", "return ", "await ", "^^^", "~~~", "For further information"),
    *(
        "Compile with",
        "For debugging",
        "CUDA kernel errors",
        "Search for",
        "vllm serve",
        "docker ",
        "export ",
        "python ",
    ),
    *("http://", "https://", "|", "+-", "===", "---"),
)
#: cheaper to see than the rest: indentation and levels
_NEVER_WITHIN: Final = ("  ", "\t", "INFO", "WARNING", "ERROR", "DEBUG", "CRITICAL", *_BEGINNINGS)
_PROGRESS: Final = ("%|", "it/s]", "s/it]")
_SERIOUS: Final = frozenset({"WARNING", "ERROR", "CRITICAL"})
#: how the rest of a broken prefix can begin: a level, a tag
_HEAD_INITIALS: Final = frozenset("DIWEC(")
#: the longest part of a record before its text
_LONGEST_HEAD: Final = 90


class _Lines:
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


def unwrap(lines: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the lines with broken ones joined; a joined line has the number of its first part."""
    reader = PrefixReader()
    mended = _mend_heads(lines, reader)
    joined: list[NumberedLine] = []
    index = 0
    while index < len(mended.lines):
        end, broken = index + 1, False
        if _may_be_broken(mended.lines, index):
            end, broken = _end_of_run(mended, index, reader)
        joined.extend([_join(mended, index, end)] if broken else mended.lines[index:end])
        index = end
    return joined


def _mend_heads(lines: Sequence[NumberedLine], reader: PrefixReader) -> _Lines:
    """Return the lines; where a log prefix itself was broken, its parts are joined if they then make a prefix."""
    mended = _Lines()
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
    if (first != "(" and first not in "DIWEC") or len(text) < _NARROWEST - 10:
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
    if following[:1] == "(" or following.startswith(_NEVER_WITHIN[:2]):
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
        or len(part) == 8
        and part.count(":") == 2
        or len(part) == 5
        and part[2] == "-"
    )


def _may_be_broken(lines: Sequence[NumberedLine], index: int) -> bool:
    """Tell cheaply whether a line could go on in the next one."""
    line = lines[index].text
    if index + 1 >= len(lines) or not _NARROWEST <= len(line) <= 2 * _WIDEST:
        return False
    following = lines[index + 1].text
    if not following or following.startswith(_NEVER_WITHIN) or len(following) > _WIDEST:
        return False
    if following[0] == "(" and "pid=" in following[:_LONGEST_HEAD]:
        return False
    return not any(mark in line for mark in _PROGRESS)


def _end_of_run(mended: _Lines, start: int, reader: PrefixReader) -> tuple[int, bool]:
    """Return the index after the last line of a run, and whether its lines belong together."""
    lines = mended.lines
    first = reader.read(lines[start].text)
    if not first.text or "validation error" in first.text or first.text.startswith("["):
        return start + 1, False
    widest = mended.widest(start)
    fullest = _WIDEST + widest
    best = start + 1
    for end in range(start + 1, min(len(lines), start + _MOST_PARTS)):
        text = lines[end].text
        if len(text) > _WIDEST or not _continues(mended, end, reader):
            break
        widest = max(widest, mended.widest(end))
        # The next word would not have fitted behind any line so far, if the width is that of the longest.
        fullest = min(fullest, mended.last(end - 1) + 1 + (len(text.split(" ", 1)[0]) or 1))
        if fullest <= widest:
            if best == end and lines[end - 1].text.rstrip()[-1:] in ",([{":
                best, fullest = end + 1, _WIDEST + widest
                continue
            break
        best = end + 1
    if best == start + 1:
        return best, False
    if best - start >= 4 and _reads_on(lines, start, best):
        return best, True
    together = _go_together(first.text, lines[start].text, lines[start + 1].text, first.level)
    # None of a longer run is looked at again: it was a list, and every line of it would be compared with all others.
    return (best, together) if together or best - start >= 4 else (start + 1, False)


def _reads_on(lines: Sequence[NumberedLine], start: int, end: int) -> bool:
    """Tell whether a longer run of lines is text that was broken, and not a list with entries of equal length."""
    full = [lines[index].text for index in range(start, end - 1)]
    if all(_is_sentence_end(text) for text in full):
        return False
    return sum(text.count(" ") > 2 for text in full) * 2 > len(full) or is_exception_line(full[0].lstrip())


def _continues(mended: _Lines, index: int, reader: PrefixReader) -> bool:
    """Tell whether a line cannot be a beginning."""
    bare = mended.lines[index].text.removeprefix(" ")
    if not bare.strip() or bare[0] in " \t" or bare.startswith(_BEGINNINGS) or not mended.follows(index):
        return False
    if bare[0] == "[" and not is_dangling(mended.lines[index - 1].text.rstrip().rsplit(" ", 1)[-1]):
        return False
    name, assigns, _ = bare.partition("=")
    if assigns and name.isupper() and name.replace("_", "").isalnum():
        return False
    if any(mark in bare for mark in _PROGRESS) or is_exception_line(bare):
        return False
    found = reader.read(bare)
    return len(found.text) == len(bare.rstrip()) or not (found.vllm_record or found.process or found.level)


def _is_sentence_end(text: str) -> bool:
    return text.rstrip()[-1:] in ".!?:。！？："


def _go_together(text: str, first: str, second: str, level: str | None) -> bool:
    """Tell whether a pair of lines reads as one sentence; a pair has too few widths to go by."""
    left, right = first.rstrip(), second.strip()
    last_word, next_word = left.split(" ")[-1], right.split(" ", 1)[0]
    if is_dangling(last_word) or first != left or second[:1] == " ":
        return True
    raised = read_exception_line(text)
    important = raised or level in _SERIOUS or "Error" in first or "Exception" in first or 'File "' in first
    if not important or _is_complete(left):
        return False
    if (raised is not None and not raised.message and left.endswith(":")) or belongs_together(
        last_word, next_word
    ):
        return True
    if left[-1] in _CLOSERS and not right[:1].islower():
        return False
    if right[:1].islower() or right[:1].isdigit() or right[:1] in ".,;:)]}([{'\"_-/=":
        return True
    single = len(next_word.strip(".,:;")) == 1 and next_word[0] not in "IA"
    return single or "." in next_word[1:-1] or "_" in next_word


def _is_complete(text: str) -> bool:
    """Tell whether a traceback's frame line has all its parts."""
    bare = text.lstrip()
    if bare.endswith("(most recent call last):"):
        return True
    return 'File "' in bare and ", in " in bare and not bare.endswith(" in")


def _join(mended: _Lines, start: int, end: int) -> NumberedLine:
    """Return one line; a blank goes between two parts unless a word was cut."""
    parts = mended.lines[start:end]
    by_column = len(parts) > 2 and len({mended.last(index) for index in range(start, end - 1)}) == 1
    pieces = [parts[0].text]
    for part in parts[1:]:
        before = pieces[-1]
        stripped = before.rstrip()
        if before == stripped and part.text[:1] != " ":
            left, right = stripped.rsplit(" ", 1)[-1], part.text.split(" ", 1)[0]
            if not _is_cut(left, right, by_column=by_column):
                pieces.append(" ")
        pieces.append(part.text)
    return NumberedLine(parts[0].number, "".join(pieces))


def _is_cut(left: str, right: str, *, by_column: bool) -> bool:
    """Tell whether a word was cut between two parts."""
    if belongs_together(left, right) or right[:1] == "." or right[:1] == "-" and left[-1:].isalnum():
        return True
    if is_word(left) and is_word(right):
        return False
    if left[-1:] in "/_" or right[:1] in "/_":
        return True
    if by_column:
        return not left.endswith((":", ",", "."))
    if is_word(left) or is_word(right) or not left[-1:].isalnum():
        return left[-1:] == "-" or (left[-1:] == "." and right[:1].islower() and not is_word(right))
    return right[:1].islower() or right[:1].isdigit() or len(right.strip(".,:;")) == 1
