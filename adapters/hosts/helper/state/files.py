"""State files that are whole or not there, also after a loss of power. Not for what stands in them."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def write_json(path: Path, body: dict[str, Any]) -> None:
    """Replace a file by rename, and return when the disk has both the file and its name."""
    fresh = path.with_name("%s.%d.new" % (path.name, os.getpid()))
    descriptor = os.open(str(fresh), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as stream:
        json.dump(body, stream, sort_keys=True, ensure_ascii=True)
        stream.flush()
        os.fsync(stream.fileno())
    fresh.replace(path)
    sync_folder(path.parent)


def read_json(path: Path) -> dict[str, Any] | None:
    """Return what stands in a file; None when there is none."""
    try:
        text = path.read_text(encoding="ascii")
    except FileNotFoundError:
        return None
    body = json.loads(text)
    if not isinstance(body, dict):
        raise ValueError("%s holds no object" % path)  # noqa: TRY004 - as a file that is no JSON
    return body


def remove(path: Path) -> None:
    """Remove a file for good; one that is gone is fine."""
    try:
        path.unlink()
    except FileNotFoundError:
        return
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Return when the disk has the names in a folder."""
    descriptor = os.open(str(folder), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
