"""The JSON of `check --json` as pydantic models, for its JSON Schema and for tests. Never imported to check."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from bot.checking.judged import Outcome
from bot.triage.contract_model import FixModel
from rules.engine.preflight import RemarkKind, Severity


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)


class FindingModel(_Strict):
    """One thing that is wrong with a launch; fixes in the order to try."""

    rule: str = Field(min_length=1)
    failure_class: str = Field(alias="class", min_length=1)
    severity: Severity
    text: str = Field(min_length=1)
    fixes: list[FixModel]


class RemarkModel(_Strict):
    """What was not checked, or was not used."""

    kind: RemarkKind
    text: str


class JudgeModel(_Strict):
    """What the vLLM of another Python said of the launch (`--judge`)."""

    outcome: Outcome
    stage: str = Field(description="how far it came: import, arguments, config")
    text: str
    warnings: list[str]
    not_judged: list[str] = Field(description="variables and code that the judge left out")
    vllm_version: str | None
    packages: dict[str, str]


class CheckModel(_Strict):
    """One line of `vllm-diagnose check --json`: one launch."""

    schema_number: Literal[1] = Field(alias="schema")
    input: str = Field(description="the file, `-` for a command")
    where: str | None = Field(description="the part of the file, such as `service vllm`")
    line: int | None = Field(ge=1)
    ok: bool = Field(description="false only with a finding that blocks the start, or when the judge refuses")
    vllm_version: str | None = Field(description="null while several releases are possible")
    vllm_versions: str | None = Field(description="PEP 440 specifier of the possible releases")
    model: str | None
    language: Literal["en", "zh"]
    findings: list[FindingModel]
    judge: JudgeModel | None = Field(description="null when no judge was asked")
    notes: list[RemarkModel]


def json_schema() -> dict[str, object]:
    """Return the JSON Schema of one line of `check --json`."""
    return CheckModel.model_json_schema(by_alias=True)
