"""What some models ask beyond a machine: latent or sparse attention, sinks, pictures that see themselves.

Not for the limits that a class declares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.engine.backend_matrix.rows import Reason, Why
from rules.engine.remedy.accepts import below
from rules.engine.versions import parse_version
from rules.releases.attention import belongs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.engine.backend_matrix.limits import Finding
    from rules.engine.backend_matrix.question import Question
    from rules.releases.model import Backend

#: `supports_mm_prefix` of these is True in every release that asks for it; the base class answers False
_IMAGE_PREFIX = frozenset({"TRITON_ATTN", "FLEX_ATTENTION"})
#: of the plain ones, these never override it; FLASH_ATTN does so from 0.24.0 on, where FlashAttention 4 runs
_NO_IMAGE_PREFIX = frozenset({"FLASHINFER", "TREE_ATTN", "XFORMERS"})
_PREFIX_WITH_FA4 = "0.24.0"
#: for models whose keys and values differ in size (`head_size_v`), which no family here has
_OTHER_VALUES = "_DIFFKV"
#: FlashAttention 3, which has sinks, runs on these alone; 4 may too, on Blackwell data-centre GPUs
_FA3 = "9.0"
_MAYBE_FA4 = ("10.0", "10.3", "11.0")


def never_meant(question: Question, backend: Backend) -> Reason | None:
    """Return why a name cannot be meant for a language model here, whatever the limits; None when it can."""
    platform = question.where.platform
    if backend.name == "NO_ATTENTION":
        return Reason(Why.NO_ATTENTION, (), backend.source)
    if not belongs(backend, platform):
        return Reason(Why.PLATFORM, (("platform", platform),), backend.source)
    if not backend.registered:
        why = Why.NEEDS_PLUGIN if backend.name == "CUSTOM" else Why.ENCODER_ONLY
        return Reason(why, (), backend.source)
    if platform == "cpu":
        return _on_cpu(question, backend)
    return None


def _on_cpu(question: Question, backend: Backend) -> Reason | None:
    """Return the reason for all but the CPU's own backend, which it takes whatever is asked for."""
    own = "CPU_MLA" if question.where.mla else "CPU_ATTN"
    if question.release.backend(own) is None or backend.name == own:
        return None
    return Reason(Why.CPU_HAS_ITS_OWN, (("backend", own),), backend.source)


def model_kind(question: Question, backend: Backend) -> Iterator[Finding]:
    """Yield what keeps a backend from a model of this kind."""
    model = question.model
    if question.where.mla is not backend.mla:
        yield False, Reason(Why.MLA_ONLY if backend.mla else Why.NOT_FOR_MLA, (), backend.source)
        return
    is_sparse = model is not None and model.sparse
    if backend.sparse and not is_sparse:
        yield False, Reason(Why.SPARSE_ONLY, (), backend.source)
    if is_sparse and not backend.sparse and backend.mla:
        yield False, Reason(Why.NOT_FOR_SPARSE, (), backend.source)
    if backend.name.endswith(_OTHER_VALUES):
        yield None, Reason(Why.OTHER_VALUES, (), backend.source)
    if model is not None and model.sinks:
        yield from _sinks(question, backend)
    if model is not None and model.prefix_since is not None:
        yield from _image_prefix(question, backend, model.prefix_since)


def _sinks(question: Question, backend: Backend) -> Iterator[Finding]:
    reason = Reason(Why.SINKS, (), backend.source)
    capability = question.where.compute_capability
    if backend.sinks:
        return
    if backend.sinks is False or question.where.platform != "cuda":
        yield backend.sinks, reason
    elif backend.name == "FLASH_ATTN":
        if capability != _FA3:
            yield None if capability in {None, *_MAYBE_FA4} else False, reason
    elif backend.name == "FLASHINFER":
        # only its TRTLLM kernels have sinks, and those run on no GPU before Hopper
        yield False if below(capability, _FA3) else None, reason
    else:
        yield None, reason


def _image_prefix(question: Question, backend: Backend, since: str) -> Iterator[Finding]:
    version, first = question.release.version, parse_version(since)
    if first is None or version < first or backend.name in _IMAGE_PREFIX or backend.mla:
        return
    reason = Reason(Why.IMAGE_PREFIX, (), backend.source)
    with_fa4 = parse_version(_PREFIX_WITH_FA4)
    if backend.name == "FLASH_ATTN" and with_fa4 is not None:
        may = version >= with_fa4 and question.where.compute_capability in {None, *_MAYBE_FA4}
        yield None if may else False, reason
    else:
        yield False if backend.name in _NO_IMAGE_PREFIX else None, reason
