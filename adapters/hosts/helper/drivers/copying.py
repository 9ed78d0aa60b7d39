"""A log that somebody else keeps, copied line by line into the start's own file. Not for who keeps it.

What was copied stays readable after its owner has thrown it away, and has offsets that never move.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Iterable

from ..logs.bounding import bound
from ..logs.keeping import read_file
from ..state.files import read_json, write_json

if TYPE_CHECKING:
    from pathlib import Path

    from ..state.folder import Folder
    from .interface import Piece

#: of one copying, so that a request is answered in time
_LIMIT = 16 << 20


def copied(folder: Folder, start_id: str) -> str:
    """Return the mark from which on lines are to be copied; empty: from the beginning."""
    return str((read_json(_state(folder, start_id)) or {}).get("mark", ""))


def copy(folder: Folder, start_id: str, lines: Iterable[tuple[str, bytes]]) -> None:
    """Append lines, each with a mark that grows (a time, a cursor).

    Lines of the newest mark that were copied before may come again: as many of them are passed over.
    """
    state = read_json(_state(folder, start_id)) or {}
    mark, count, size = str(state.get("mark", "")), int(state.get("lines", 0)), int(state.get("size", 0))
    passed, written = 0, 0
    log = folder.log_of(start_id)
    descriptor = os.open(str(log), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "r+b") as out:
        # What a helper that died had appended and not counted is written over.
        out.truncate(size)
        out.seek(size)
        for line_mark, data in lines:
            if line_mark < mark:
                continue
            if line_mark == mark and passed < count:
                passed += 1
                continue
            if line_mark != mark:
                mark, count, passed = line_mark, 0, 0
            count += 1
            passed += 1
            out.write(data)
            written += len(data)
            if written > _LIMIT:
                break
        out.flush()
    write_json(_state(folder, start_id), {"mark": mark, "lines": count, "size": size + written})
    bound(log)


def read_copy(folder: Folder, start_id: str, offset: int, limit: int) -> Piece:
    """Return a piece of what was copied."""
    return read_file(folder.log_of(start_id), 0, offset, limit)


def _state(folder: Folder, start_id: str) -> Path:
    return folder.starts / (start_id + ".copy.json")
