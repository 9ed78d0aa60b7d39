"""Leaves out lines of a paste that repeat others, so that a flood costs what it says. Not for large logs.

Two lines are of one kind when they differ only in digits and hexadecimal letters. The first and the last of a
kind stay, so that what was said, how often up to a limit, and in which order, stays too.
"""

#: lines up to which a paste is left as it is
_FEW_LINES = 300
#: copies of a line that are kept, beside the last
_COPIES = 8
_DIGITS = b"0123456789abcdefABCDEF"
#: what a line says of itself in its beginning when it is a record, and so no continuation of the line before
_RECORDS = (b"INFO", b"WARNING", b"ERROR", b"DEBUG")
_HEAD = 80


def thin(data: bytes) -> tuple[bytes, tuple[int, ...]] | None:
    """Return the lines that stay with their numbers, from 1; None when all do."""
    lines = data.split(b"\n")
    if len(lines) <= _FEW_LINES:
        return None
    kinds = data.translate(None, _DIGITS).split(b"\n")
    last = {kind: place for place, kind in enumerate(kinds)}
    seen = dict.fromkeys(last, 0)
    kept: list[int] = []
    repeated_before = False
    for place, kind in enumerate(kinds):
        copies = seen[kind] = seen[kind] + 1
        repeated = copies > _COPIES and place != last[kind]
        # a repeated end of a broken line belongs to its new beginning
        if not repeated or not (repeated_before or _is_record(lines[place])):
            kept.append(place)
        repeated_before = repeated
    if len(kept) == len(lines):
        return None
    return b"\n".join([lines[place] for place in kept]), tuple(place + 1 for place in kept)


def _is_record(line: bytes) -> bool:
    head = line[:_HEAD]
    return any(level in head for level in _RECORDS)
