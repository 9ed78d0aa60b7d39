"""Takes off the indentation that a list, a quote or an editor gave a traceback. Not for what Python itself indents."""

from collections.abc import Sequence
from typing import Final

from rules.engine.paste.cleaning import NumberedLine
from rules.engine.paste.exception_lines import is_exception_line

_HEAD: Final = "Traceback (most recent call last)"
_FRAME: Final = 'File "'
_BLANKS: Final = " \t"
#: an exception below frames at the margin may stand so far in
_SLIGHT: Final = 3


def dedent(lines: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the lines, those of an indented block with a traceback as far out as the block allows."""
    if not any(_HEAD in line.text for line in lines):
        return list(lines)
    dedented: list[NumberedLine] = []
    start = 0
    while start < len(lines):
        end = start + 1
        if lines[start].text[:1] in _BLANKS:
            while end < len(lines) and lines[end].text[:1] in _BLANKS:
                end += 1
        dedented.extend(_outdented(lines[start:end]))
        start = end
    return _with_endings(dedented)


def _outdented(block: Sequence[NumberedLine]) -> Sequence[NumberedLine]:
    margins = [len(line.text) - len(bare) for line in block if (bare := line.text.lstrip()).startswith(_HEAD)]
    return [_without(line, min(margins)) for line in block] if margins else block


def _without(line: NumberedLine, margin: int) -> NumberedLine:
    """Return the line without so many blanks at its beginning, or without those that it has."""
    indentation = len(line.text) - len(line.text.lstrip())
    return NumberedLine(line.number, line.text[min(margin, indentation) :])


def _with_endings(lines: list[NumberedLine]) -> list[NumberedLine]:
    """Return the lines, the exception below frames that stand at the margin brought there too."""
    flat = False
    for index, line in enumerate(lines):
        if line.text.startswith(_HEAD):
            flat = index + 1 < len(lines) and lines[index + 1].text.startswith(_FRAME)
        bare = line.text.lstrip()
        if flat and 0 < len(line.text) - len(bare) <= _SLIGHT and is_exception_line(bare):
            lines[index] = NumberedLine(line.number, bare)
    return lines
