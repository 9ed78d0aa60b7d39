"""What was seen of a relaunched server, and what it is measured by. Not for gathering or judging it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from bot.verification.start_log import StartLog

if TYPE_CHECKING:
    from collections.abc import Mapping

    from adapters.hosts.records import ProbeAnswer, ProbeKind, RunState
    from bot.relaunch.planning.plan import Check

_NONE: Mapping[ProbeKind, ProbeAnswer] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Wanted:
    """What must be true of the server."""

    checks: tuple[Check, ...]
    #: SHA-256 of the planned launch
    spec_hash: str
    #: of the start that the run made
    start_id: str
    #: name that it must serve
    model: str
    #: of each group one text must stand in the log
    lines: tuple[tuple[str, ...], ...] = ()
    absent: tuple[str, ...] = ()
    #: variables that were set: the release must know them
    variables: tuple[str, ...] = ()
    #: of the problem that was to be cured
    fingerprint: str = ""
    #: that knows the problem
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Sight:
    """The process at one moment."""

    state: RunState
    start_id: str | None
    pid: int | None
    restarts: int
    #: SHA-256 over what the process really has; None when it could not be read
    running_spec_hash: str | None


@dataclass(frozen=True, slots=True)
class Failure:
    """What the engine says about the log of this start."""

    fingerprint: str
    title: str
    #: all that fired
    rules: tuple[str, ...] = ()


@dataclass(frozen=True)
class Evidence:
    """All that was seen."""

    before_soak: Sight
    #: None: there was none yet
    after_soak: Sight | None
    #: of this start alone, masked
    log: str
    #: False: pieces of it are missing
    log_is_whole: bool
    #: None: the engine finds no failure in it
    failure: Failure | None
    answers: Mapping[ProbeKind, ProbeAnswer] = field(default_factory=lambda: _NONE)
    #: the same questions after the soak
    later_answers: Mapping[ProbeKind, ProbeAnswer] = field(default_factory=lambda: _NONE)

    @cached_property
    def start_log(self) -> StartLog:
        """Return the log by its lines; several checks look at it, and it may be long."""
        return StartLog(self.log)
