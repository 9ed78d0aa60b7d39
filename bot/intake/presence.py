"""Which processes of this machine are alive, told by locks that end with their process. Not for their work.

The system drops a lock the moment its process is gone, however it went, so that what a killed process had
claimed need not wait for its claims to run out. Processes on other machines are not seen here.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SUFFIX = ".alive"


@dataclass(frozen=True, slots=True)
class Presence:
    """A process among others that share a folder."""

    folder: Path
    #: id of this process, different at each start
    owner: str

    @contextmanager
    def held(self) -> Iterator[None]:
        """Be present until the block ends."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self.folder / f"{self.owner}{_SUFFIX}"
        # It gets its name only once it is locked: whoever looks in between would take it for a dead one's.
        unnamed = path.with_suffix(".new")
        with unnamed.open("w", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            unnamed.rename(path)
            yield

    def gone(self) -> list[str]:
        """Return processes that ended without saying so."""
        found = [path for path in self.folder.glob(f"*{_SUFFIX}") if path.stem != self.owner]
        return [path.stem for path in found if _is_free(path)]

    def forget(self, owner: str) -> None:
        """Stop mentioning a process that is gone."""
        (self.folder / f"{owner}{_SUFFIX}").unlink(missing_ok=True)


def _is_free(path: Path) -> bool:
    try:
        number = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(number)
    return True
