"""The shape of `rule.yaml` for pydantic, at the border only. Not for what the engine works with (`model`)."""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from rules.engine.report import Confidence, FixKind, ProofKind, Risk
from rules.engine.rule.model import Impact, Origin, RuleStatus, Scope, Toward
from rules.engine.versions import is_specifier


def _specifier(text: str) -> str:
    if not is_specifier(text):
        raise ValueError("must be a PEP 440 range such as `>=0.11.1,<0.13`")
    return text


Range = Annotated[str, AfterValidator(_specifier)]
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Variable = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]*$|^\{[a-z_]+\}$")]
FlagName = Annotated[str, StringConstraints(pattern=r"^--[a-z0-9][a-z0-9.-]*$")]
Part = Annotated[str, StringConstraints(pattern=r"^(text|tower)$")]


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SignalShape(_Shape):
    """One entry of `signals`."""

    name: Slug
    regex: str
    literal: str = Field(min_length=8)
    releases: Range | None = None
    #: None: `record` for a rule without effect, else `cause`
    scope: Scope | None = None


class PickShape(_Shape):
    """A value that is picked from release facts."""

    pick: Annotated[str, StringConstraints(pattern=r"^(text-backend|tower-backend)$")]
    prefer: tuple[str, ...] = Field(min_length=1)


class ChangeShape(_Shape):
    """`change` of a fix."""

    env_unset: tuple[Variable, ...] = ()
    env_set: dict[Variable, str | PickShape] = {}
    flags_set: dict[FlagName, str | PickShape] = {}
    flags_unset: tuple[FlagName, ...] = ()


class ProofShape(_Shape):
    """One entry of `verify`."""

    kind: ProofKind
    part: Part | None = None
    text: str | None = None
    absent: bool = False


class FixShape(_Shape):
    """One entry of `fixes`."""

    id: Slug
    kind: FixKind
    releases: Range
    risk: Risk = Risk.LOW
    relaunchable: bool = False
    when: Any = None
    change: ChangeShape | None = None
    phrase: str | None = None
    values: dict[str, str] = {}
    part: Part | None = None
    needs: tuple[str, ...] = ()
    target: Range | None = None
    toward: Toward | None = None
    verify: tuple[ProofShape, ...] = ()


class QuestionShape(_Shape):
    """One entry of `ask`."""

    fact: str
    when: Any = None


class RuleShape(_Shape):
    """The whole file."""

    id: Slug
    version: int = Field(ge=1)
    status: RuleStatus
    failure_class: Slug = Field(alias="class")
    family: Slug
    origin: Origin
    impact: Impact
    confidence: Confidence
    releases: Range
    signals: tuple[SignalShape, ...] = Field(min_length=1)
    condition: Any
    fixes: tuple[FixShape, ...] = ()
    asks_only: bool = False
    ask: tuple[QuestionShape, ...] = ()
    absorbs: tuple[Slug, ...] = ()
    rivals: tuple[Slug, ...] = ()
    false_positives: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    tower: bool = False
