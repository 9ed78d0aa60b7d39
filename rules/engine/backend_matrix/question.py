"""What a matrix is asked for, and which packages its release installs. Not for answering it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rules.engine.backend_matrix.rows import Reason, Why
from rules.engine.remedy.machine import ARCHITECTURES
from rules.releases.machine_markers import marker_holds

if TYPE_CHECKING:
    from rules.engine.backend_matrix.models import Model
    from rules.releases.release import Release, Where

#: packages that a backend needs where its module does not tell, for it looks before it imports
PACKAGES = {"XFORMERS": "xformers", "FLASHINFER": "flashinfer-python", "HPC_ATTN": "hpc"}
#: what the KV cache holds when nobody says
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Question:
    """One release, one machine, one model."""

    release: Release
    #: `head_size` and `mla` are those of the language model
    where: Where
    #: None: no model was named, or it is unknown
    model: Model | None = None
    kv_cache_dtype: str = AUTO
    #: None: vLLM's own choice
    block_size: int | None = None


def installs(release: Release, package: str, architecture: str | None) -> bool | None:
    """Tell whether the release brings a package along; None where the architecture decides."""
    text = release.requirement(package)
    if text is None:
        return False
    marker = text.partition(";")[2]
    if not marker:
        return True
    answers = {marker_holds(marker, one) for one in ([architecture] if architecture else ARCHITECTURES)}
    return answers.pop() if len(answers) == 1 else None


def package_reason(question: Question, package: str) -> Reason:
    """Return how a backend that needs a package stands: included, or open until somebody looks."""
    is_there = installs(question.release, package, question.where.architecture)
    values = (("package", package), ("version", str(question.release.version)))
    return Reason(Why.PACKAGE_INCLUDED if is_there else Why.PACKAGE, values)
