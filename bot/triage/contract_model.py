"""The contract's JSON as pydantic models, for its JSON Schema and for tests. Never imported to diagnose."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from rules.engine.paste.evidence import NoteKind
from rules.engine.report import Confidence, FixKind, ProofKind, Risk, Status


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)


class ChangeModel(_Strict):
    """A typed change of a launch. A flag without a value has an empty string."""

    env_unset: list[str]
    env_set: dict[str, str]
    flags_set: dict[str, str]
    flags_unset: list[str]


class ProofModel(_Strict):
    """One command that shows whether a fix worked, and what it prints then."""

    kind: ProofKind
    command: str = Field(min_length=1)
    expect: str


class FixModel(_Strict):
    """One fix, for one range of releases; `change` is null for advice."""

    id: str = Field(min_length=1)
    kind: FixKind
    summary: str
    releases: str
    relaunchable: bool
    risk: Risk
    change: ChangeModel | None
    commands: list[str]
    verify: list[ProofModel]


class DiagnosisModel(_Strict):
    """One rule's account of the failure; fixes in the order to try."""

    rule: str = Field(min_length=1)
    failure_class: str = Field(alias="class", min_length=1)
    family: Literal["attention-backend", "other"]
    confidence: Confidence
    title: str
    cause: str
    captures: dict[str, str]
    fixes: list[FixModel]
    references: list[str]


class FactsModel(_Strict):
    """What is known of release, GPU, model and launch."""

    vllm_version: str | None
    vllm_versions: str | None = Field(description="PEP 440 specifier of the releases the evidence allows")
    gpu: str | None
    compute_capability: str | None
    platform: str | None
    model: str | None
    env: dict[str, str]
    argv: list[str]
    backend_requested: str | None
    backend_selected: str | None


class RootCauseModel(_Strict):
    """The line that names the failure."""

    line: int = Field(ge=1)
    text: str
    process: str | None


class RaisedAtModel(_Strict):
    """A place in vLLM's source from which a failure came that is not diagnosed."""

    file: str
    line: int = Field(ge=1)
    function: str | None = Field(
        description="From the traceback of the paste, of which it is vLLM's last frame"
    )
    release: str | None = Field(description="The release whose source raises the message there")


class RuledOutModel(_Strict):
    """A rival rule and why it is not the cause."""

    rule: str
    why: str


class AskModel(_Strict):
    """One question with one command that answers it."""

    fact: str
    why: str
    command: str


class NoteModel(_Strict):
    """One remark beside the answer."""

    kind: NoteKind
    text: str


class ReportModel(_Strict):
    """The whole answer to one input of `vllm-diagnose diagnose --json`."""

    schema_number: Literal[1] = Field(alias="schema")
    input: str
    status: Status
    language: Literal["en", "zh"]
    facts: FactsModel
    root_cause: RootCauseModel | None
    diagnoses: list[DiagnosisModel]
    ruled_out: list[RuledOutModel]
    ask: list[AskModel] = Field(max_length=3)
    notes: list[NoteModel]
    redacted: int = Field(ge=0)
    raised_at: list[RaisedAtModel]


def json_schema() -> dict[str, object]:
    """Return the JSON Schema of one line of `diagnose --json`."""
    return ReportModel.model_json_schema(by_alias=True)
