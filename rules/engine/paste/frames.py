"""Finds the frame of vLLM's own code that lies nearest to a failure. Not for other programs' frames."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import re2

from rules.engine.paste.evidence import EvidenceLine

_FRAME: Final = re2.compile(r'^\s*File "([^"\n]{1,1000})", line (\d{1,7}), in ([\w.<>]{1,100})')
_PACKAGE: Final = "/vllm/"
_FILE: Final = re2.compile(r"^vllm/[\w./-]{1,200}\.py$")
#: lines before the exception that are looked at; a deep traceback of a model has some hundred
_MOST_LINES: Final = 1000


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame of vLLM's code."""

    #: from the package on (`vllm/v1/engine/core.py`)
    file: str
    line: int
    function: str


def last_frame_of_vllm(lines: Sequence[EvidenceLine], root: int | None) -> Frame | None:
    """Return the last frame of vLLM before a line, printed by the same process; without a line, of the paste.

    The frames of an exception that was handled before belong to another traceback, so the search ends there.
    """
    start = len(lines) if root is None else root
    for place in range(start - 1, max(-1, start - _MOST_LINES), -1):
        line = lines[place]
        if root is not None and _voice(line) != _voice(lines[root]):
            continue
        if "Traceback (most recent call last)" in line.text:
            return None
        frame = _frame(line.text)
        if frame is not None:
            return frame
    return None


def _voice(line: EvidenceLine) -> tuple[str | None, str | None, str | None]:
    return line.process, line.pid, line.origin


def _frame(text: str) -> Frame | None:
    found = _FRAME.search(text) if 'File "' in text else None
    if found is None:
        return None
    file = _of_vllm(found.group(1).replace("\\", "/"))
    return None if file is None else Frame(file, int(found.group(2)), found.group(3))


def _of_vllm(path: str) -> str | None:
    """Return the path from vLLM's package on; an environment or a checkout may lie in a folder of that name too."""
    _, installed, file = path.rpartition("-packages/")
    if not installed:
        file = path[path.rfind(_PACKAGE) + 1 :]
    return file if _FILE.search(file) is not None else None
