"""Builds the helper's archive: one file for a GPU host, the same bytes from the same sources. Not for installing it.

Nothing is compressed: compressors differ between machines, and the bytes must not.
"""

from __future__ import annotations

import hashlib
import sys
import zipfile
from io import BytesIO
from pathlib import Path

_PACKAGE = Path(__file__).with_name("helper")
#: before any file system's clock was wrong
_TIME = (1980, 1, 1, 0, 0, 0)
_MODE = 0o644
_SHEBANG = b"#!/usr/bin/env -S python3 -I -S\n"
_START = b'''"""Starts the helper."""

import sys

from helper.entry import main

raise SystemExit(main(sys.argv[1:]))
'''


def build() -> bytes:
    """Return the archive; start it with `python3 helper.pyz SUB-COMMAND`."""
    stream = BytesIO()
    stream.write(_SHEBANG)
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        _add(archive, "__main__.py", _START)
        for path in sorted(_PACKAGE.rglob("*.py")):
            relative = path.relative_to(_PACKAGE)
            if relative.as_posix() != "__main__.py":
                _add(archive, "helper/" + relative.as_posix(), path.read_bytes())
    return stream.getvalue()


def digest(archive: bytes) -> str:
    """Return SHA-256 of an archive, hexadecimal."""
    return hashlib.sha256(archive).hexdigest()


def write(target: Path) -> str:
    """Write the archive, executable, and return its digest."""
    archive = build()
    fresh = target.with_name(target.name + ".new")
    fresh.write_bytes(archive)
    fresh.chmod(0o755)
    fresh.replace(target)
    return digest(archive)


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name, _TIME)
    entry.external_attr = _MODE << 16
    entry.create_system = 3
    entry.compress_type = zipfile.ZIP_STORED
    archive.writestr(entry, data)


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "helper.pyz")
    sys.stdout.write(f"{write(target)}  {target}\n")
