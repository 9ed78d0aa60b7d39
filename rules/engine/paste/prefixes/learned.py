"""Takes off a prefix that nobody knows, learned from what stands before vLLM's own records. Not for known ones."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import re2

from rules.engine.paste.cleaning import NumberedLine
from rules.engine.paste.prefixes.reader import PrefixReader

#: how a line of vLLM or the head of a traceback begins, wherever it stands in the line
_BEGINS: Final = re2.compile(
    r"Traceback \(most recent call last\)|\((?:APIServer|EngineCore|Worker|VllmWorker)\w*(?: rank=\d+)? pid=\d+\)"
    r"|(?:INFO|WARNING|ERROR|DEBUG|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d "
)
_NUMBER: Final = re2.compile(r"\d+")
_LONGEST: Final = 100
#: so many lines must begin alike before a prefix is believed, and so large a share of all
_LEAST: Final = 3
_SHARE: Final = 0.6
#: lines of which prefixes are learned
_LOOKED_AT: Final = 2000
#: so many different prefixes are learned, the commonest first
_MOST_SHAPES: Final = 4


def without_learned(lines: Sequence[NumberedLine]) -> list[NumberedLine]:
    """Return the lines without a prefix that most of them share, but for its numbers."""
    shapes = _shapes(lines[:_LOOKED_AT])
    if not shapes:
        return list(lines)
    pattern = re2.compile("|".join(map(_pattern, shapes)))
    lengths = [len(found.group()) if (found := pattern.match(line.text)) else 0 for line in lines]
    carried = sum(length > 0 for length in lengths)
    if carried < _LEAST or carried < _SHARE * len(lines):
        return list(lines)
    return [
        NumberedLine(line.number, line.text[length:]) for line, length in zip(lines, lengths, strict=True)
    ]


def _shapes(lines: Sequence[NumberedLine]) -> list[str]:
    """Return the prefixes that stand before what vLLM prints, the commonest first, numbers made alike."""
    reader = PrefixReader()
    found: Counter[str] = Counter()
    for line in lines:
        begun = _BEGINS.search(line.text[: 2 * _LONGEST])
        if begun is None or not 0 < begun.start() <= _LONGEST:
            continue
        prefix = line.text[: begun.start()]
        if prefix.strip() and _is_unknown(line.text, begun.group(), reader):
            found[_NUMBER.sub("0", prefix)] += 1
    return [shape for shape, _ in found.most_common(_MOST_SHAPES)]


def _is_unknown(text: str, begins: str, reader: PrefixReader) -> bool:
    """Tell whether what stands before a record is left standing by the known carriers."""
    rest = reader.read(text).text
    return begins in rest and not rest.startswith(begins)


def _pattern(shape: str) -> str:
    return r"\d+".join(map(re2.escape, shape.split("0")))
