"""One server of the host's list. Not for reading the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Mapping

if TYPE_CHECKING:
    import re

#: the word of the list that lets a variable be removed but not set
UNSET_ONLY = "unset-only"
#: the same for a flag
DROP_ONLY = "drop-only"


@dataclass(frozen=True)
class Allowed:
    """Which values a variable or flag may get. Removing it is always allowed where it stands on the list."""

    values: tuple[str, ...] = ()
    #: matches a whole value
    pattern: re.Pattern[str] | None = None

    def holds(self, value: str) -> bool:
        """Tell whether a value may be set."""
        if value in self.values:
            return True
        return self.pattern is not None and self.pattern.fullmatch(value) is not None


@dataclass(frozen=True)
class Server:
    """A server that the helper may touch, as the host's owner wrote it down."""

    name: str
    #: process, systemd, docker or compose
    driver: str
    port: int
    #: who runs it; None: whoever runs the helper
    user: str | None = None
    #: empty where the driver's own configuration has the command
    argv: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str | None = None
    unit: str | None = None
    #: system or user, for systemd
    scope: str = "system"
    container: str | None = None
    compose_file: str | None = None
    service: str | None = None
    #: where the server itself writes its log; None: the helper keeps what it prints
    log_file: str | None = None
    #: ids of its GPUs; empty: not known
    gpus: tuple[str, ...] = ()
    env_allowed: Mapping[str, Allowed] = field(default_factory=dict)
    flags_allowed: Mapping[str, Allowed] = field(default_factory=dict)
