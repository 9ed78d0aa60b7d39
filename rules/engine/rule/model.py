"""A rule as the engine uses it: frozen records, filled by `loading` from the catalogue. Not for evaluating one."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rules.engine.report import Confidence, FixKind, ProofKind, Risk


class RuleStatus(StrEnum):
    """How far a rule is trusted."""

    EXPERIMENTAL = "experimental"
    TEST = "test"
    STABLE = "stable"
    #: kept for its id only; never fires
    RETIRED = "retired"


class Origin(StrEnum):
    """Who prints the deciding text; only what vLLM prints can be proven against its templates."""

    VLLM = "vllm"
    TORCH = "torch"
    CUDA = "cuda"
    NCCL = "nccl"
    TRITON = "triton"
    FLASHINFER = "flashinfer"
    FLASH_ATTN = "flash-attn"
    XFORMERS = "xformers"
    TRANSFORMERS = "transformers"
    HUGGINGFACE = "huggingface"
    PYDANTIC = "pydantic"
    ARGPARSE = "argparse"
    RAY = "ray"
    KERNEL = "kernel"
    PYTHON = "python"


class Impact(StrEnum):
    """What the failure does to the server."""

    BLOCKS_START = "blocks-start"
    DEGRADES = "degrades"
    NO_EFFECT = "no-effect"


class Scope(StrEnum):
    """On which lines a signal may fire."""

    #: lines that carry an exception's message, or stand alone as a paste
    CAUSE = "cause"
    #: log records of any level
    RECORD = "record"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Signal:
    """A named RE2 pattern that is looked for on each logical line."""

    name: str
    regex: str
    #: a text that every matching line holds, at least 8 characters: the prefilter's key
    literal: str
    #: PEP 440 specifier of the releases that print it; None: all of the rule's
    releases: str | None = None
    scope: Scope = Scope.ANY


@dataclass(frozen=True, slots=True)
class Fired:
    """True when the signal fired at least `at_least` times."""

    signal: str
    at_least: int = 1


@dataclass(frozen=True, slots=True)
class After:
    """True when `then` fired on a later line than the first hit of `first`."""

    first: str
    then: str


@dataclass(frozen=True, slots=True)
class Last:
    """True when the signal fired and none of the `unless` signals fired on a later line."""

    signal: str
    unless: tuple[str, ...] = ()


class FactTestKind(StrEnum):
    """How a fact is compared."""

    IS = "is"
    ONE_OF = "one_of"
    #: numeric by dotted parts, so that 10.0 is more than 9.0
    AT_LEAST = "at_least"
    BELOW = "below"
    #: PEP 440 specifier
    WITHIN = "within"
    KNOWN = "known"
    MATCHES = "matches"
    #: another value than the fact that `values` names; unknown while either is
    DIFFERS = "differs"


@dataclass(frozen=True, slots=True)
class FactTest:
    """A statement about a fact; unknown facts make it unknown, except for `known`.

    Facts: `vllm_version`, `gpu`, `compute_capability`, `platform`, `architecture`, `model`, `backend_requested`,
    `backend_selected`, `stage`, `env.NAME`, `flag.--name`, `package.NAME`, `capture.NAME`.
    """

    fact: str
    kind: FactTestKind
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    """True when every part is."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """True when at least one part is."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class NoneOf:
    """True when no part is."""

    parts: tuple[Condition, ...]


Condition = Fired | After | Last | FactTest | AllOf | AnyOf | NoneOf


@dataclass(frozen=True, slots=True)
class Pick:
    """A value chosen from release facts: the first of `prefer` that the release accepts there."""

    #: `text-backend`, `tower-backend`
    what: str
    prefer: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangeTemplate:
    """A typed change; values may hold `{capture}` placeholders or be picked from release facts."""

    env_unset: tuple[str, ...] = ()
    env_set: Mapping[str, str | Pick] = field(default_factory=dict)
    flags_set: Mapping[str, str | Pick] = field(default_factory=dict)
    flags_unset: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProofTemplate:
    """A proof of a fix. A log proof without `text` asks the release facts which line follows the change."""

    kind: ProofKind
    #: `text` or `tower`: whose backend line is meant; for inference, `tower` sends an image
    part: str | None = None
    #: a literal text to look for, with `{capture}` placeholders
    text: str | None = None
    #: True: the text must not be in the new log
    absent: bool = False


class Toward(StrEnum):
    """Which way a fix moves a number; where the launch is as far already, the fix is not offered."""

    LOWER = "lower"
    HIGHER = "higher"


@dataclass(frozen=True, slots=True)
class Fix:
    """A fix as the rule states it, before release and host are known."""

    id: str
    kind: FixKind
    #: PEP 440 specifier
    releases: str
    risk: Risk
    relaunchable: bool
    #: facts it needs; unknown ones make it conditional and are asked for
    when: Condition | None = None
    change: ChangeTemplate | None = None
    #: id of the shared phrase that says what to do; None: the phrase of the kind
    phrase: str | None = None
    #: values for the phrase and for the shared commands of its kind (`{"package": "flashinfer-python"}`)
    values: Mapping[str, str] = field(default_factory=dict)
    #: `text` or `tower`: the part whose backend the change decides, so that it is refused where it does not reach it
    part: str | None = None
    #: packages (names of the index) that must be importable beside vLLM for the change to work
    needs: tuple[str, ...] = ()
    #: PEP 440 specifier of the releases to move to, for upgrade and downgrade
    target: str | None = None
    verify: tuple[ProofTemplate, ...] = ()
    #: None where the change sets no number that the launch may be beyond
    toward: Toward | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """The words of a rule in one language, with `{capture}` placeholders."""

    title: str
    cause: str
    #: what the failure is not, shown on the rule's page
    not_this: str


@dataclass(frozen=True, slots=True)
class Question:
    """A fact a rule asks for when it is unknown; the words are shared phrases."""

    fact: str
    #: only asked when this may be true
    when: Condition | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """One cause, how it shows, what to do about it."""

    id: str
    version: int
    status: RuleStatus
    failure_class: str
    family: str
    origin: Origin
    impact: Impact
    #: the most it may claim
    confidence: Confidence
    #: PEP 440 specifier of the releases in which it can happen
    releases: str
    signals: tuple[Signal, ...]
    condition: Condition
    fixes: tuple[Fix, ...]
    texts: Mapping[str, Text]
    #: True for wrappers: the message hides the cause, so the rule only asks and never diagnoses
    asks_only: bool = False
    ask: tuple[Question, ...] = ()
    #: ids of rules whose matches are consequences of this one
    absorbs: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    false_positives: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    #: True: capture `model` is the label of a vision encoder and `backend` the name that it refused, so that release
    #: facts tell which releases print that
    tower: bool = False
    folder: Path | None = None
