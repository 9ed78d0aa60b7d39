"""Heads of the journal as lines that are kept elsewhere, so that a cut tail shows. Not for the journal itself."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Final

from bot.audit.chain import Head

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

_LONGEST_LINE: Final = 400
_MAC: Final = re.compile(r"[0-9a-f]{64}")


def head_line(head: Head, at: datetime) -> str:
    """Return a head as one line of ASCII that `heads_in` reads back, wherever it was kept."""
    told = {"journal_head": head.sequence, "mac": head.mac, "at": at.isoformat(timespec="seconds")}
    return json.dumps(told, ensure_ascii=True)


def heads_in(text: str) -> list[Head]:
    """Return the heads of all lines that hold one, whatever stands before it (a syslog prefix, say)."""
    found = []
    for line in text.splitlines():
        begin = line.find('{"journal_head"')
        if begin < 0 or len(line) > _LONGEST_LINE:
            continue
        try:
            told = json.loads(line[begin : line.rindex("}") + 1])
            sequence, mac = told["journal_head"], told["mac"]
        except (ValueError, KeyError, TypeError):
            continue
        if isinstance(sequence, int) and isinstance(mac, str) and _MAC.fullmatch(mac):
            found.append(Head(sequence, mac))
    return found


def append_line(file: Path, line: str) -> None:
    """Add a line to a file that only its owner reads, and wait until it is on the disk. Raises `OSError`."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    with os.fdopen(handle, "a", encoding="ascii") as out:
        out.write(line + "\n")
        out.flush()
        os.fsync(out.fileno())
