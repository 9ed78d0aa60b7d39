"""A fault that a check found in one release, before it has words, and changes that would mend it."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from rules.engine.report import Change, FixKind, Risk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rules.engine.preflight.findings import Severity

_EMPTY: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Edit:
    """A fix of a preflight: what to change, and the phrase that says so."""

    id: str
    kind: FixKind
    phrase: str
    change: Change | None = None
    values: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    risk: Risk = Risk.LOW
    #: words of the launch that the change replaces beside the flags it names: they belonged to a broken value
    stray: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong with a launch in one release."""

    #: rule of the catalogue for the same failure, or an own id
    rule: str
    failure_class: str
    severity: Severity
    #: id of the phrase, after `preflight.`
    phrase: str
    #: what it is about: the same fault in two releases has the same rule and subject
    subject: str
    values: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    edits: tuple[Edit, ...] = ()
    #: what vLLM prints when it stops: the rules of the catalogue know its fixes
    printed: str | None = None

    @property
    def identity(self) -> tuple[str, str, str]:
        """What is the same when the fault is the same."""
        return self.failure_class, self.subject, self.severity.value
