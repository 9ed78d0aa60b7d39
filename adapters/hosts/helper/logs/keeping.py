"""Bytes of a log file as they lie on the disk. Not for masking them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..drivers.interface import Piece
from .bounding import first_data

if TYPE_CHECKING:
    from pathlib import Path


def read_file(path: Path, base: int, offset: int, limit: int) -> Piece:
    """Return a piece of a file whose start begins at `base`; a file that became shorter begins anew."""
    try:
        descriptor = os.open(str(path), os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return Piece(b"", offset, is_last=True)
    try:
        size = os.fstat(descriptor).st_size
        if size < base:
            base = 0
        at = first_data(descriptor, base + offset)
        data = os.pread(descriptor, min(limit, _data_length(descriptor, at, size)), at)
        return Piece(data, at - base, is_last=at + len(data) >= size)
    finally:
        os.close(descriptor)


def size_of(path: Path) -> int:
    """Return how long a file is; a missing one is empty."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _data_length(descriptor: int, at: int, size: int) -> int:
    try:
        return max(0, os.lseek(descriptor, at, os.SEEK_HOLE) - at)
    except OSError:
        return max(0, size - at)
