"""What somebody wants done to a server, before anybody was asked whether it may be. Not the plan for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rules.engine.report import Remedy

_NOWHERE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody wants done to a server."""

    server: str
    remedy: Remedy
    incident: str
    fingerprint: str
    rule: str
    rule_version: int
    #: the change concerns the encoder for images
    is_vision: bool = False
    #: although the server serves
    is_forced: bool = False
    #: where it was asked for and is reported, as JSON
    origin: Mapping[str, Any] = field(default_factory=lambda: _NOWHERE)
