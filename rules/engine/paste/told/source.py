"""Tells lines of source code or of a history that somebody shows from what a program printed.

Not for the source that a traceback shows below a frame: that ran.
"""

from collections.abc import Sequence
from typing import Final

import re2

from rules.engine.paste.evidence import EvidenceLine

#: lines that are looked at; long logs of programs show no source but their own
_MOST_LINES: Final = 400
#: a statement that holds a message without printing it
_STATEMENT: Final = (
    r"""(?:raise \w[\w.]*\(\s*f?["']|(?:with )?(?:pytest\.raises|self\.assertRaises\w*)\("""
    r"""|(?:logger|logging|log|warnings)\.\w+\(\s*f?["'])"""
)
_PLAIN: Final = re2.compile(r"^\s*" + _STATEMENT)
#: the same where a search found it, or with the mark of a changed line
_MARKED: Final = re2.compile(r"^(?:[\w./\\-]+\.(?:py|pyi|md|rst|txt):(?:\d+[:-])?\s*|[+-]\s*)" + _STATEMENT)
#: where the lines of a change begin
_HUNK: Final = re2.compile(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_CHANGED: Final = ("+", "-", " ")
#: the exception itself, where a title joins the statement and what it raised in one line
_RAISED_TOO: Final = re2.compile(r"""["')(]\s+(?:\w+\.)*\w*(?:Error|Exception): \S""")
#: how the description of a change begins in the history of a repository
_COMMIT: Final = re2.compile(r"^commit [0-9a-f]{6,40}\b")
_FRAMES: Final = ('File "', "File ", "-->", "Traceback (most")


def shown_source(lines: Sequence[EvidenceLine]) -> frozenset[int]:
    """Return the indexes of the lines that are source code or a history, which nobody ran here.

    Beside the frames of a traceback or vLLM's records a plain statement is theirs.
    """
    if len(lines) > _MOST_LINES:
        return frozenset()
    ran = any(_printed(line) or line.text.lstrip().startswith(_FRAMES) for line in lines)
    found: set[int] = set()
    in_hunk = in_commit = False
    for index, line in enumerate(lines):
        text = line.text
        if _printed(line):
            in_hunk = in_commit = False
            continue
        in_commit = in_commit or _COMMIT.search(text) is not None
        in_hunk = _HUNK.search(text) is not None or (in_hunk and text.startswith(_CHANGED))
        described = in_commit and text.startswith("    ")
        plain = not ran and _PLAIN.search(text) is not None and _RAISED_TOO.search(text) is None
        shown = plain or _MARKED.search(text) is not None
        if in_hunk or described or shown:
            found.add(index)
    return frozenset(found)


def _printed(line: EvidenceLine) -> bool:
    """Tell whether a logger or a process stands before the line."""
    return line.vllm_record or line.level is not None or line.process is not None
