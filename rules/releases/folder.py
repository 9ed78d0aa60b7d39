"""Writes the files of stored releases into a folder, touching only what differs. Not for what is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def write(files: Mapping[str, bytes], folder: Path) -> tuple[str, ...]:
    """Write what differs, remove stored files that are no longer there, and return the paths that changed."""
    changed = []
    for path, content in files.items():
        target = folder / path
        if not target.is_file() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            changed.append(path)
    for target in sorted(folder.rglob("*.json*")):
        path = target.relative_to(folder).as_posix()
        if path not in files:
            target.unlink()
            changed.append(path)
    return tuple(changed)
