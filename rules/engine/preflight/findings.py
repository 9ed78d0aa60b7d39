"""What a preflight says: findings with their fixes, and what was not checked. Not for finding any."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rules.engine.report import Remedy


class Severity(StrEnum):
    """What a finding does to the server."""

    BLOCKS_START = "blocks-start"
    #: it starts and is worse than what was asked for
    DEGRADES = "degrades"
    #: what was asked for changes nothing
    NO_EFFECT = "no-effect"


class RemarkKind(StrEnum):
    """Why a remark stands beside the findings."""

    #: something that the answer depends on is not known, so it was not looked at
    NOT_CHECKED = "not-checked"
    #: something given could not be read and was not used
    DROPPED_INPUT = "dropped-input"
    #: it holds in some of the releases that are possible
    SOME_RELEASES = "some-releases"
    #: the release lies outside the shipped facts
    OUTSIDE_FACTS = "outside-facts"
    #: a setting works today and is announced to go
    DEPRECATED = "deprecated"
    #: two statements that cannot both be true
    CONTRADICTION = "contradiction"


@dataclass(frozen=True, slots=True)
class Remark:
    """One sentence beside the findings, in the language of the answer."""

    kind: RemarkKind
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a launch."""

    rule: str
    #: class of the catalogue (`class` in JSON)
    failure_class: str
    severity: Severity
    #: what is wrong, in the language of the answer
    text: str
    #: in the order to try
    fixes: tuple[Remedy, ...] = ()


@dataclass(frozen=True, slots=True)
class Findings:
    """All that a preflight says of one launch."""

    language: str
    #: the release that was checked; None while several are possible
    vllm_version: str | None
    #: PEP 440 specifier of the possible releases; None when nothing is known of them
    vllm_versions: str | None
    #: worst first
    findings: tuple[Finding, ...] = ()
    remarks: tuple[Remark, ...] = ()
    #: the model as it was named, masked
    model: str | None = None

    @property
    def ok(self) -> bool:
        """True when nothing that was found stops the start."""
        return all(finding.severity is not Severity.BLOCKS_START for finding in self.findings)
