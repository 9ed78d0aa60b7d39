"""The report: everything a diagnosis says, as data. How it is shown belongs to whoever shows it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rules.engine.paste.evidence import Note
    from rules.engine.paste.facts import Facts

_EMPTY: Mapping[str, str] = MappingProxyType({})


class Status(StrEnum):
    """What came of a paste."""

    #: the first diagnosis is the root cause
    DIAGNOSED = "diagnosed"
    #: vLLM's output, but the deciding lines are missing
    NEED_MORE = "need-more"
    #: a real failure that no rule knows
    UNKNOWN = "unknown"
    #: a healthy log, prose, or another program's error
    NOT_AN_INCIDENT = "not-an-incident"


class Confidence(StrEnum):
    """How sure a diagnosis is."""

    #: the message admits one cause
    CERTAIN = "certain"
    #: the usual cause of this message
    LIKELY = "likely"
    #: deciding facts are missing
    POSSIBLE = "possible"


class FixKind(StrEnum):
    """What a fix touches."""

    UNSET_ENV = "unset-env"
    SET_ENV = "set-env"
    SET_FLAG = "set-flag"
    DROP_FLAG = "drop-flag"
    UPGRADE = "upgrade"
    DOWNGRADE = "downgrade"
    INSTALL_PACKAGE = "install-package"
    HOST_RESOURCE = "host-resource"
    MODEL_FILES = "model-files"
    NETWORK = "network"
    RESTART = "restart"
    HARDWARE = "hardware"
    UPSTREAM_BUG = "upstream-bug"


class Risk(StrEnum):
    """What a change may cost although it starts the server."""

    LOW = "low"
    #: slower, or less memory left
    PERFORMANCE = "performance"
    #: answers may differ
    ACCURACY = "accuracy"
    #: other workloads or data on the host are touched
    HOST = "host"


@dataclass(frozen=True, slots=True)
class Change:
    """A typed change of a launch. Values are strings; a flag without a value has an empty one."""

    #: variables to really remove, wherever they were set
    env_unset: tuple[str, ...] = ()
    env_set: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    flags_set: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    flags_unset: tuple[str, ...] = ()


class ProofKind(StrEnum):
    """How a fix is proven."""

    LOG = "log"
    HTTP = "http"
    INFERENCE = "inference"
    COMMAND = "command"


@dataclass(frozen=True, slots=True)
class Proof:
    """One command that shows whether a fix worked."""

    kind: ProofKind
    #: complete POSIX shell, safe to copy
    command: str
    #: what it prints when the fix worked, one sentence in the language of the answer
    expect: str
    #: texts of which the new log holds one; empty where the release promises none
    lines: tuple[str, ...] = ()
    #: texts that the new log does not hold
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Remedy:
    """A fix of a rule, resolved for the releases and the host at hand."""

    #: id of the fix in its rule; several remedies may share it, one per range of releases
    id: str
    kind: FixKind
    #: one sentence in the language of the answer
    summary: str
    #: PEP 440 specifier of the releases it holds for
    releases: str
    relaunchable: bool
    risk: Risk
    #: None for advice
    change: Change | None
    commands: tuple[str, ...]
    verify: tuple[Proof, ...]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One rule's account of the failure."""

    rule: str
    #: class of the corpus (`class` in JSON)
    failure_class: str
    family: str
    confidence: Confidence
    title: str
    cause: str
    captures: Mapping[str, str]
    fixes: tuple[Remedy, ...]
    references: tuple[str, ...]
    #: number of the line that fired, from 1
    line: int
    #: False: the release that was printed or given does not print this text
    in_era: bool = True
    #: of the rule
    version: int = 1
    #: it is about the part of the model that reads images
    is_vision: bool = False


@dataclass(frozen=True, slots=True)
class RootCause:
    """The line that names the failure."""

    line: int
    text: str
    process: str | None


@dataclass(frozen=True, slots=True)
class RaisedAt:
    """A place in vLLM's source from which a failure came."""

    #: from the package on (`vllm/v1/engine/core.py`)
    file: str
    line: int
    #: from the traceback of the paste, of which it is the last frame of vLLM; None: release facts say it
    function: str | None = None
    #: the release whose source raises the message there; None: the traceback shows it
    release: str | None = None


@dataclass(frozen=True, slots=True)
class RuledOut:
    """A rival rule and why it is not the cause."""

    rule: str
    why: str


@dataclass(frozen=True, slots=True)
class Ask:
    """One question, with one command that answers it."""

    #: name of the fact: `vllm_version`, `gpu`, `launch`, `first-exception` ...
    fact: str
    why: str
    command: str


@dataclass(frozen=True, slots=True)
class Report:
    """The whole answer to one paste."""

    status: Status
    language: str
    facts: Facts
    #: PEP 440 specifier of the releases the evidence allows; None when it says nothing
    vllm_versions: str | None
    root_cause: RootCause | None
    diagnoses: tuple[Diagnosis, ...] = ()
    ruled_out: tuple[RuledOut, ...] = ()
    ask: tuple[Ask, ...] = ()
    notes: tuple[Note, ...] = ()
    redacted: int = 0
    #: where in vLLM a failure arose that is not diagnosed, as far as that is known
    raised_at: tuple[RaisedAt, ...] = ()
