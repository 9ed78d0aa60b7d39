"""Joins lines that a terminal, a mail client or a hand broke. Not for larger logs, which are read as they are.

Joining what does not belong together would hide a cause, so two lines are joined only if the first cannot be complete and
the second cannot be a beginning. The widths of all lines of a run must fit one wrapping width.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rules.engine.paste.cleaning import NumberedLine
from rules.engine.paste.exception_lines import is_exception_line
from rules.engine.paste.prefixes import PrefixReader
from rules.engine.paste.vocabulary import belongs_together, is_dangling, is_word

#: shorter lines were not broken by a terminal
_NARROWEST: Final = 30
_WIDEST: Final = 400
#: one logical line is joined from so many physical ones at most
_MOST_PARTS: Final = 200
_CLOSERS: Final = ".!?:;)]}'\"`。！？：；）”"
_BEGINNINGS: Final = (
    *("Traceback (", 'File "', "During handling", "The above exception", "Process ", "usage:", "Loading ", "Capturing "),
    *("INFO", "WARNING", "ERROR", "DEBUG", "CRITICAL", "$ ", "# ", "- ", "* ", "raise ", "return ", "await ", "^^^", "~~~"),
    *("Compile with", "For debugging", "CUDA kernel errors", "Search for", "vllm serve", "docker ", "export ", "python "),
    *("http://", "https://", "|", "+-", "==="),
)


def unwrap(lines: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the lines with broken ones joined; a joined line has the number of its first part."""
    reader = PrefixReader()
    joined: list[NumberedLine] = []
    index = 0
    while index < len(lines):
        end = index + 1
        if _may_be_broken(lines, index):
            end = _end_of_run(lines, index, reader)
        joined.append(lines[index] if end == index + 1 else _join(lines[index:end]))
        index = end
    return joined


def _may_be_broken(lines: Sequence[NumberedLine], index: int) -> bool:
    """Tell cheaply whether a line could go on in the next one."""
    line = lines[index].text
    if index + 1 >= len(lines) or not _NARROWEST <= len(line) <= _WIDEST:
        return False
    following = lines[index + 1].text
    return bool(following) and not following.startswith(("  ", "\t")) and len(following) <= _WIDEST


def _end_of_run(lines: Sequence[NumberedLine], start: int, reader: PrefixReader) -> int:
    """Return the index after the last line that continues the one at `start`."""
    first = reader.read(lines[start].text)
    if not first.text:
        return start + 1
    widest = len(lines[start].text.rstrip())
    best = start + 1
    for end in range(start + 1, min(len(lines), start + _MOST_PARTS)):
        text = lines[end].text
        if len(text) > _WIDEST or not _continues(text, reader):
            break
        widest = max(widest, len(text.rstrip()))
        if not _fit(lines, start, end, widest):
            if _is_open(lines[end - 1].text) and best == end:
                best = end + 1
                continue
            break
        best = end + 1
    if best - start >= 3:
        return best
    return best if best == start + 1 or _go_together(lines[start].text, lines[start + 1].text, first.level) else start + 1


def _continues(text: str, reader: PrefixReader) -> bool:
    """Tell whether a line cannot be a beginning."""
    bare = text.removeprefix(" ")
    if not bare.strip() or bare[0] in " \t" or bare.startswith(_BEGINNINGS):
        return False
    return not is_exception_line(bare) and not reader.starts_anew(bare)


def _fit(lines: Sequence[NumberedLine], start: int, end: int, width: int) -> bool:
    """Tell whether every line up to `end` was full: the next word would not have fitted into the width."""
    for index in range(start, end):
        following = lines[index + 1].text
        word = len(following.split(" ", 1)[0]) or 1
        if len(lines[index].text.rstrip()) + 1 + word <= width:
            return False
    return True


def _is_open(text: str) -> bool:
    """Tell whether a line ends in the middle of a list, a bracket or a clause."""
    return text.rstrip()[-1:] in ",([{"


def _go_together(first: str, second: str, level: str | None) -> bool:
    """Tell whether a pair of lines reads as one sentence; a pair has too few widths to go by."""
    left, right = first.rstrip(), second.strip()
    last_word = left.split(" ")[-1]
    if is_dangling(last_word) or first != left or second[:1] == " ":
        return True
    important = level in {"ERROR", "CRITICAL"} or "Error" in first or "Exception" in first or 'File "' in first
    if not important or _is_complete(left):
        return False
    if left[-1] in _CLOSERS and not right[:1].islower():
        return False
    return right[:1].islower() or right[:1].isdigit() or right[:1] in ".,;:)]}'\"_-/=" or belongs_together(last_word, right.split(" ")[0])


def _is_complete(text: str) -> bool:
    """Tell whether a traceback's frame line has all its parts."""
    bare = text.lstrip()
    return bare.endswith("(most recent call last):") or ('File "' in bare and ", in " in bare and not bare.endswith(" in"))


def _join(parts: Sequence[NumberedLine]) -> NumberedLine:
    """Return one line; a blank goes between two parts unless a word was cut."""
    widths = {len(part.text) for part in parts[:-1]}
    cut_by_column = len(parts) > 2 and len(widths) == 1
    text = parts[0].text
    for part in parts[1:]:
        stripped = text.rstrip()
        if text != stripped or part.text[:1] == " " or cut_by_column:
            text = (text if cut_by_column or text != stripped else stripped) + part.text
            continue
        left, right = stripped.split(" ")[-1], part.text.split(" ", 1)[0]
        text = stripped + ("" if _is_cut(left, right) else " ") + part.text
    return NumberedLine(parts[0].number, text)


def _is_cut(left: str, right: str) -> bool:
    """Tell whether a word was cut between two parts."""
    if belongs_together(left, right):
        return True
    if left[-1:] in "./_-" or right[:1] in "._/":
        return not (left[-1:] == "." and right[:1].isupper() and is_word(left))
    if is_word(left) or is_word(right):
        return False
    return right[:1].islower() and left[-1:].isalnum() and len(right.strip(".,:;")) < 4
