"""The registry as its file is now: read again when it changes, and empty while it cannot be read. Not for its form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import structlog

from bot.hosts.reading import BadRegistryError, read_registry
from bot.hosts.registry import Registry

if TYPE_CHECKING:
    from pathlib import Path


class RegistryFile:
    """One file. What it does not say now is not allowed now: a faulty file allows nothing."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._stamp: tuple[int, int, int] | None = None
        self._registry = Registry()
        #: what is wrong with the file; empty when nothing is
        self.faults: tuple[str, ...] = ()

    def __call__(self) -> Registry:
        """Return the registry."""
        stamp = self._stamp_of_file()
        if stamp is None or stamp != self._stamp:
            self._stamp = stamp
            self._read()
        return self._registry

    def _read(self) -> None:
        try:
            self._registry, self.faults = read_registry(self._file), ()
        except BadRegistryError as error:
            self._registry, self.faults = Registry(), error.faults
            structlog.get_logger(__name__).error("registry-not-sound", faults=list(error.faults))

    def _stamp_of_file(self) -> tuple[int, int, int] | None:
        try:
            found = self._file.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino
