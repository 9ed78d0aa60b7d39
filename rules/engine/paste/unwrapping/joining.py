"""Joins lines that a terminal, a mail client or a hand broke. Not for larger logs, read as they are.

Joining what does not belong together would hide a cause, so two lines are joined only if the first cannot be
complete and the second cannot be a beginning. The widths of all lines of a run must fit one wrapping width.
"""

from collections.abc import Sequence
from typing import Final

from rules.engine.paste.cleaning import NumberedLine
from rules.engine.paste.exception_lines import ExceptionText, is_exception_line, read_exception_line
from rules.engine.paste.prefixes.reader import PrefixReader
from rules.engine.paste.unwrapping.heads import Lines, mend_heads
from rules.engine.paste.unwrapping.vocabulary import belongs_together, is_dangling, is_word

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
#: how a validation shows, indented, the error that it caught
_CAUGHT: Final = ("Value error, ", "Assertion failed, ")
_PROGRESS: Final = ("%|", "it/s]", "s/it]")
_SERIOUS: Final = frozenset({"WARNING", "ERROR", "CRITICAL"})
#: how names of vLLM's variables begin
_VARIABLE: Final = "VLLM_"
#: what vLLM gives for a refusal, behind a sentence that is whole without it
_REASONS: Final = ("Reason: [", "Reasons: {")
#: a line that may be full
_FULL: Final = 55
#: words of a message that say nothing yet
_TOO_FEW: Final = 2
#: the longest part of a record before its text
_LONGEST_HEAD: Final = 90


def unwrap(lines: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the lines with broken ones joined; a joined line has the number of its first part."""
    reader = PrefixReader()
    mended = mend_heads(lines, reader)
    joined: list[NumberedLine] = []
    index = 0
    while index < len(mended.lines):
        end, broken = index + 1, False
        if _may_be_broken(mended.lines, index):
            end, broken = _end_of_run(mended, index, reader)
        joined.extend([_join(mended, index, end)] if broken else mended.lines[index:end])
        index = end
    return joined


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


def _end_of_run(mended: Lines, start: int, reader: PrefixReader) -> tuple[int, bool]:
    """Return the index after the last line of a run, and whether its lines belong together."""
    lines = mended.lines
    first = reader.read(lines[start].text)
    source = first.text[:1] == " " and not first.text.lstrip().startswith('File "')
    source = source and not first.text.lstrip().startswith(_CAUGHT)
    if not first.text or source or "validation error" in first.text or first.text.startswith("["):
        return start + 1, False
    is_carried = len(first.text) < len(lines[start].text.rstrip())
    widest = mended.widest(start)
    fullest = _WIDEST + widest
    best = start + 1
    for end in range(start + 1, min(len(lines), start + _MOST_PARTS)):
        text = lines[end].text
        if len(text) > _WIDEST or not _continues(mended, end, reader, is_carried=is_carried):
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
    # None of a longer run is looked at again: it was a list, and each line would be compared with all.
    return (best, together) if together or best - start >= 4 else (start + 1, False)


def _reads_on(lines: Sequence[NumberedLine], start: int, end: int) -> bool:
    """Tell whether a longer run of lines is broken text, and not a list with entries of equal length."""
    full = [lines[index].text for index in range(start, end - 1)]
    if all(_is_sentence_end(text) for text in full):
        return False
    return sum(len(text.split()) > 3 for text in full) * 2 > len(full) or is_exception_line(full[0].lstrip())


def _continues(mended: Lines, index: int, reader: PrefixReader, *, is_carried: bool) -> bool:
    """Tell whether a line cannot be a beginning.

    Where a carrier has put something before the first line, it does so before each that it is given.
    """
    bare = mended.lines[index].text.removeprefix(" ")
    if not bare.strip() or bare[0] in " \t" or bare.startswith(_BEGINNINGS) or not mended.follows(index):
        return False
    if bare[0] == "[" and not _goes_on(mended, index - 1):
        return False
    name, assigns, _ = bare.partition("=")
    if (
        assigns
        and name.isupper()
        and name.replace("_", "").isalnum()
        and not _goes_on(mended, index - 1, name)
    ):
        return False
    if any(mark in bare for mark in _PROGRESS) or is_exception_line(bare):
        return False
    found = reader.read(bare)
    is_bare = len(found.text) == len(bare.rstrip())
    return is_bare or not (is_carried or found.vllm_record or found.process or found.level)


def _goes_on(mended: Lines, index: int, name: str = "") -> bool:
    """Tell whether nothing can end where a line ends: no sentence, no list in braces, no variable's name."""
    last = mended.lines[index].text.rstrip().rsplit(" ", 1)[-1]
    text = mended.lines[index].text
    return (
        is_dangling(last)
        or _is_open(text)
        or (not name.startswith(_VARIABLE) and f"{last}{name}".startswith(_VARIABLE))
    )


def _is_open(text: str) -> bool:
    """Tell whether a brace is open at the end of a text."""
    return text.rfind("{") > text.rfind("}")


def _is_sentence_end(text: str) -> bool:
    return text.rstrip()[-1:] in ".!?:。！？："


def _go_together(text: str, first: str, second: str, level: str | None) -> bool:
    """Tell whether a pair of lines reads as one sentence; a pair has too few widths to go by."""
    left, right = first.rstrip(), second.strip()
    last_word, next_word = left.split(" ")[-1], right.split(" ", 1)[0]
    dangling = right.startswith(_REASONS) or is_dangling(last_word) or _is_open(left)
    if dangling or first != left or second[:1] == " ":
        return True
    raised = read_exception_line(text)
    important = raised or level in _SERIOUS or "Error" in first or "Exception" in first or 'File "' in first
    if not important or _is_complete(left):
        return False
    if belongs_together(last_word, next_word) or (raised is not None and _says_more(raised, left, level)):
        return True
    if (left[-1] in _CLOSERS and not right[:1].islower()) or (right[:1] == "/" and "/" not in last_word):
        return False
    if right[:1].islower() or right[:1].isdigit() or right[:1] in ".,;:)]}([{'\"_-/=":
        return True
    single = len(next_word.strip(".,:;")) == 1 and next_word[0] not in "IA"
    named = any(character.isdigit() or character == "_" for character in next_word) or _is_class(next_word)
    return single or named or "." in next_word[1:-1]


def _is_class(word: str) -> bool:
    """Tell whether a word is the name of a class, such as `FlashAttentionImpl`, rather than a sentence's first."""
    return word.isalnum() and any(character.isupper() for character in word[1:]) and not word.isupper()


def _says_more(raised: ExceptionText, line: str, level: str | None) -> bool:
    """Tell whether the message of an exception goes on below: it has not begun, or its line was full.

    A logger begins each line of a message anew, so that a bare one below a full one goes on.
    """
    if not raised.message and line.endswith(":"):
        return True
    full = len(line) >= _FULL and line[-1] not in _CLOSERS
    return full and (level in _SERIOUS or len(raised.message.split()) <= _TOO_FEW)


def _is_complete(text: str) -> bool:
    """Tell whether a traceback's frame line has all its parts."""
    bare = text.lstrip()
    if bare.endswith("(most recent call last):"):
        return True
    return 'File "' in bare and ", in " in bare and not bare.endswith(" in")


def _join(mended: Lines, start: int, end: int) -> NumberedLine:
    """Return one line; a blank goes between two parts unless a word was cut."""
    parts = mended.lines[start:end]
    widths = {mended.last(index) for index in range(start, end - 1)}
    by_column = len(parts) > 2 and len(widths) == 1
    # a blank at the end of a line of a terminal is not seen, so that one less is no other width
    by_word = max(widths) - min(widths) > 1
    pieces = [parts[0].text]
    for part in parts[1:]:
        before = pieces[-1]
        stripped = before.rstrip()
        if before == stripped and part.text[:1] != " ":
            left, right = stripped.rsplit(" ", 1)[-1], part.text.split(" ", 1)[0]
            cut = _is_split(left, right) if by_word else _is_cut(left, right, by_column=by_column)
            if not cut:
                pieces.append(" ")
        pieces.append(part.text)
    return NumberedLine(parts[0].number, "".join(pieces))


def _is_split(left: str, right: str) -> bool:
    """Tell whether two parts are halves of one known word, or a word and the mark behind it."""
    hyphened = left.endswith("-") and left[-2:-1].isalpha() and right[:1].islower()
    return hyphened or belongs_together(left, right) or right[:1] in ".:,;)]}"


def _is_cut(left: str, right: str, *, by_column: bool) -> bool:
    """Tell whether a word was cut between two parts."""
    if _is_split(left, right) or (right[:1] == "-" and left[-1:].isalnum()):
        return True
    if is_word(left) and is_word(right):
        return False
    if left[-1:] in "/_" or right[:1] in "/_":
        return True
    if by_column:
        whole = left.endswith((":", ",", ".")) or (
            is_word(left) and len(left) > 3 and not right[:1].islower()
        )
        return not whole
    if is_word(left) or is_word(right) or not left[-1:].isalnum():
        return left[-1:] == "-" or (left[-1:] == "." and right[:1].islower() and not is_word(right))
    return right[:1].islower() or right[:1].isdigit() or len(right.strip(".,:;")) == 1
