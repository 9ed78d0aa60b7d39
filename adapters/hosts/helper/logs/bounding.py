"""Keeps a log within bounds without moving its offsets: the middle is given back to the disk. Not for reading."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

#: the beginning says what was started, the end what happened
HEAD_BYTES = 4 << 20
TAIL_BYTES = 64 << 20
_BLOCK = 1 << 20
_KEEP_SIZE_PUNCH_HOLE = 0x03
#: logs of earlier starts that are kept
_KEPT = 10


def bound(path: Path, head: int = HEAD_BYTES, tail: int = TAIL_BYTES) -> None:
    """Give the middle of a log back to the disk. Where the file system cannot, the log just grows."""
    try:
        descriptor = os.open(str(path), os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return
    try:
        size = os.fstat(descriptor).st_size
        length = (size - tail - head) // _BLOCK * _BLOCK
        if length > 0:
            libc = ctypes.CDLL(None, use_errno=True)
            libc.fallocate(descriptor, _KEEP_SIZE_PUNCH_HOLE, ctypes.c_int64(head), ctypes.c_int64(length))
    finally:
        os.close(descriptor)


def first_data(descriptor: int, offset: int) -> int:
    """Return where a log holds bytes from `offset` on: later than that within a part that was given back."""
    try:
        return os.lseek(descriptor, offset, os.SEEK_DATA)
    except OSError:
        return offset


def forget_old(folder: Path, ending: str) -> None:
    """Remove all but the newest files of a kind."""
    found = sorted(folder.glob("*" + ending), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in found[_KEPT:]:
        path.unlink()
