"""The records of a matrix: a row per backend, with the reasons. Not for deciding them, nor for their words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rules.engine.backend_matrix.models import Model
    from rules.releases.model import Part, Source


class Verdict(StrEnum):
    """Whether a backend works."""

    WORKS = "works"
    FAILS = "fails"
    #: a fact is missing that would decide it
    OPEN = "open"


#: the order in which rows are shown that no order of the release decides
SHOWN_FIRST = (Verdict.WORKS, Verdict.OPEN, Verdict.FAILS)


class Why(StrEnum):
    """A reason; the words for it are elsewhere."""

    # it cannot be meant here
    ENCODER_ONLY = "encoder-only"
    NEEDS_PLUGIN = "needs-plugin"
    NO_ATTENTION = "no-attention"
    PLATFORM = "platform"
    CPU_HAS_ITS_OWN = "cpu-has-its-own"
    # the model is of another kind
    MLA_ONLY = "mla-only"
    NOT_FOR_MLA = "not-for-mla"
    SPARSE_ONLY = "sparse-only"
    NOT_FOR_SPARSE = "not-for-sparse"
    SINKS = "sinks"
    IMAGE_PREFIX = "image-prefix"
    OTHER_VALUES = "other-values"
    # a limit of the backend
    CAPABILITY = "capability"
    HEAD_SIZE = "head-size"
    KV_CACHE_DTYPE = "kv-cache-dtype"
    BLOCK_SIZE = "block-size"
    ATTENTION_TYPE = "attention-type"
    LIMITS = "limits"
    # a package
    PACKAGE = "package"
    PACKAGE_INCLUDED = "package-included"
    # encoders
    ENCODER_REFUSES = "encoder-refuses"
    REPLACED = "replaced"
    NOT_A_CHOICE = "not-a-choice"
    NO_LENGTHS = "no-lengths"
    PICKS_ITSELF = "picks-itself"
    OWN_CODE = "own-code"
    WHICH_ENCODER = "which-encoder"
    # what is not known
    GPU = "gpu"
    RUN_TIME = "run-time"
    NOT_COMPUTED = "not-computed"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a backend does not work, or what would decide it; `source` is a place in vLLM's own source."""

    why: Why
    values: tuple[tuple[str, str], ...] = ()
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One backend."""

    backend: str
    verdict: Verdict
    reasons: tuple[Reason, ...] = ()
    #: place among those that the release tries by itself, from 1; None: it never takes it by itself
    place: int | None = None
    #: what the release takes when nothing is chosen
    is_default: bool = False


@dataclass(frozen=True, slots=True)
class Side:
    """One part of the model: its backends in the order in which they are tried, then the others."""

    rows: tuple[Row, ...]
    #: None: it depends on what is open
    default: str | None
    #: what the release takes instead where this package is there, as (package, backend)
    default_with: tuple[tuple[str, str], ...] = ()
    #: where the order or the default stands in vLLM's source
    source: Source | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """All that holds on one machine."""

    platform: str
    #: None on platforms other than CUDA
    capability: str | None
    text: Side
    #: None: the model has no encoder
    vision: Side | None


@dataclass(frozen=True, slots=True)
class Setting:
    """A flag or variable that chooses the backend of a part in this release."""

    name: str
    parts: tuple[Part, ...]
    #: what vLLM prints because it is deprecated, with the text as far as it is stable
    warning: str | None
    source: Source | None


class Remark(StrEnum):
    """A remark beside the matrix; the words for it are elsewhere."""

    UNKNOWN_MODEL = "unknown-model"
    MODEL_LACKING = "model-lacking"
    HEAD_SIZE_ASSUMED = "head-size-assumed"
    UNKNOWN_GPU = "unknown-gpu"
    CAPABILITY_OUTSIDE = "capability-outside"
    ARCHITECTURE = "architecture"
    RESCUE = "rescue"
    REACHES_BOTH = "reaches-both"
    VARIABLE_UNREAD = "variable-unread"
    OTHER_ENGINE = "other-engine"
    DEFAULT_REFUSED = "default-refused"
    STANDS_FOR = "stands-for"


@dataclass(frozen=True, slots=True)
class Matrix:
    """The whole answer to one question."""

    version: str
    #: as it was asked for, and the product that was understood; None: no GPU was named
    gpu: str | None
    #: as it was asked for; None: no model was named
    asked_model: str | None
    #: None: none was named, or it is unknown
    model: Model | None
    columns: tuple[Column, ...]
    #: by part, the first is the one to use
    text_settings: tuple[Setting, ...]
    vision_settings: tuple[Setting, ...]
    remarks: tuple[tuple[Remark, tuple[tuple[str, str], ...]], ...] = ()
