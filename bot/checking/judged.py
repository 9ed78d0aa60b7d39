"""What the installed vLLM said of a launch, when it was asked. Not for asking it."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from rules.engine.paste.masking import mask


class Outcome(StrEnum):
    """How far vLLM's own checks went."""

    #: arguments, variables and configuration were taken; no weights were loaded
    ACCEPTED = "accepted"
    REFUSED = "refused"
    #: the checks could not go on, and nothing was refused
    UNDECIDED = "undecided"


class Verdict(BaseModel):
    """What vLLM said."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    outcome: Outcome
    #: `import`, `arguments` or `config`
    stage: str
    message: str = ""
    warnings: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()


class Gpu(BaseModel):
    """A GPU as vLLM names it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    name: str
    compute_capability: str | None = None


class Platform(BaseModel):
    """What vLLM runs on."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    device_type: str = ""
    gpus: tuple[Gpu, ...] = ()


class Facts(BaseModel):
    """What that Python and machine are."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    vllm: str = ""
    packages: dict[str, str] = Field(default_factory=dict)
    platform: Platform = Platform()


class Judgement(BaseModel):
    """The whole answer."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    verdict: Verdict
    facts: Facts | None = None
    #: variables of the launch that were not set, because they could run something in the judge
    left_out: tuple[str, ...] = ()

    @property
    def is_refused(self) -> bool:
        """True when vLLM refuses the launch."""
        return self.verdict.outcome is Outcome.REFUSED

    @property
    def release(self) -> str | None:
        """The release that is installed there."""
        return (self.facts.vllm or None) if self.facts is not None else None

    @property
    def gpu(self) -> str | None:
        """The first GPU there."""
        return (
            self.facts.platform.gpus[0].name if self.facts is not None and self.facts.platform.gpus else None
        )


def judgement_to_json(judged: Judgement) -> dict[str, Any]:
    """Return what is shown of it, with secrets masked."""
    verdict = judged.verdict
    return {
        "outcome": verdict.outcome.value,
        "stage": verdict.stage,
        "text": mask(verdict.message)[0],
        "warnings": [mask(text)[0] for text in verdict.warnings],
        "not_judged": [mask(text)[0] for text in (*verdict.skipped, *judged.left_out)],
        "vllm_version": judged.release,
        "packages": dict(judged.facts.packages) if judged.facts is not None else {},
    }
