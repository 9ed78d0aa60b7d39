"""Files that were dropped on the page, kept until they are read. Not for their content."""

from __future__ import annotations

import asyncio
import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adapters.chat.errors import FileGoneError, FileTooLargeError
from adapters.chat.interface import File

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

_ID = re.compile(r"[0-9a-f]{8,64}")
_NAME_LIMIT = 120


@dataclass(frozen=True, slots=True)
class Uploads:
    """A folder of files that are waiting to be read."""

    platform: str
    folder: Path
    #: of one file
    limit_bytes: int
    new_id: Callable[[], str]

    async def receive(self, name: str, media_type: str | None, chunks: AsyncIterator[bytes]) -> File:
        """Write a file piece by piece. Raises `FileTooLargeError`, and then keeps nothing of it."""
        shown = _plain_name(name)
        await asyncio.to_thread(self.folder.mkdir, parents=True, exist_ok=True, mode=0o700)
        file_id = self.new_id()
        path = self.folder / file_id
        size = 0
        try:
            with path.open("xb") as target:
                path.chmod(0o600)
                async for chunk in chunks:
                    size += len(chunk)
                    if size > self.limit_bytes:
                        raise FileTooLargeError(self.platform, shown, self.limit_bytes)  # noqa: TRY301
                    target.write(chunk)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return File(file_id, shown, size, media_type)

    async def hand_over(self, file: File, into: Path, limit_bytes: int) -> None:
        """Copy a file out. Raises `FileGoneError`, `FileTooLargeError`."""
        path = self.folder / file.id
        if not _ID.fullmatch(file.id) or not path.is_file():
            raise FileGoneError(self.platform, file.name)
        if path.stat().st_size > limit_bytes:
            raise FileTooLargeError(self.platform, file.name, limit_bytes)
        await asyncio.to_thread(shutil.copyfile, path, into)

    def sweep(self, before: float) -> None:
        """Remove files that were last written before a time (seconds since 1970): nobody came for them."""
        if not self.folder.is_dir():
            return
        for path in self.folder.iterdir():
            if path.stat().st_mtime < before:
                path.unlink(missing_ok=True)

    def forget(self, file: File) -> None:
        """Remove a file that is no longer needed."""
        if _ID.fullmatch(file.id):
            (self.folder / file.id).unlink(missing_ok=True)


def _plain_name(name: str) -> str:
    """Return a file's name without its folders and without what cannot be printed."""
    last = name.replace("\\", "/").rpartition("/")[2]
    printable = "".join(character for character in last if character.isprintable()).strip()
    return printable[:_NAME_LIMIT] or "paste.log"
