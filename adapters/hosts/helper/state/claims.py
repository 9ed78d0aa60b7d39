"""Starts that were ever made: a claim is made once, by one process, before anything is started. Not for how it went."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .files import sync_folder

if TYPE_CHECKING:
    from pathlib import Path


def claim(folder: Path, start_id: str) -> bool:
    """Take the start for oneself; False when somebody did before."""
    try:
        descriptor = os.open(
            str(_path(folder, start_id)), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600
        )
    except FileExistsError:
        return False
    os.fsync(descriptor)
    os.close(descriptor)
    sync_folder(folder)
    return True


def is_claimed(folder: Path, start_id: str) -> bool:
    """Tell whether the start was ever made, or begun."""
    return _path(folder, start_id).exists()


def _path(folder: Path, start_id: str) -> Path:
    return folder / (start_id + ".claim")
