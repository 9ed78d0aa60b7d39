"""Limits that a backend's class declares, against what a model and a launch ask. Not for models of another kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.engine.backend_matrix.question import AUTO
from rules.engine.backend_matrix.rows import Reason, Why
from rules.engine.remedy.accepts import below
from rules.engine.versions import parse_version
from rules.releases.model import CAPABILITIES, HEAD_SIZES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.engine.backend_matrix.question import Question
    from rules.releases.model import Backend

#: from here on a block may be any multiple of a kernel's size (`supports_block_size`,
#: vllm/attention/backends/abstract.py); before it was one of the sizes
_BLOCKS_OF_KERNELS = "0.12.0"
#: FlashAttention needs it in every release, also where the class does not say so
_FLASH_ATTN_FLOOR = "8.0"
#: sizes that are named one by one
_MOST = 8
#: a reason, and whether it refuses (False) or leaves the answer open (None)
Finding = tuple[bool | None, Reason]


def declared_limits(question: Question, backend: Backend) -> Iterator[Finding]:
    """Yield each limit that refuses the machine or the model, or that cannot be judged."""
    where = question.where
    if where.platform == "cuda":
        yield from _capability(backend, where.compute_capability)
    yield from _head_size(backend, where.head_size)
    types = backend.attention_types
    if types is not None and "decoder" not in types:
        refused = None if "attention_types" in backend.at_run_time else False
        yield refused, Reason(Why.ATTENTION_TYPE, (("types", ", ".join(types)),), backend.source)
    if "combination" in backend.at_run_time or (backend.sparse and where.platform == "cuda"):
        yield None, Reason(Why.RUN_TIME, (), backend.source)


def launch_limits(question: Question, backend: Backend) -> Iterator[Finding]:
    """Yield what the chosen KV cache format and block size meet at the backend."""
    yield from _kv_cache(backend, question.kv_cache_dtype)
    if question.block_size is not None:
        yield from _block_size(question, backend, question.block_size)


def _capability(backend: Backend, capability: str | None) -> Iterator[Finding]:
    accepted = backend.capabilities
    if not accepted and backend.name == "FLASH_ATTN_VLLM_V1" and below(capability, _FLASH_ATTN_FLOOR):
        since = f"{_FLASH_ATTN_FLOOR}-{CAPABILITIES[-1]}"
        needed = (("capability", str(capability)), ("accepted", since))
        yield False, Reason(Why.CAPABILITY, needed, backend.source)
        return
    if not accepted:
        # no GPU is accepted only where `supports_combination` misses something that may be installed
        yield None, Reason(Why.RUN_TIME, (), backend.source)
        return
    values = (("accepted", spans(accepted)),)
    if capability is None:
        if set(CAPABILITIES) - set(accepted):
            yield None, Reason(Why.GPU, values, backend.source)
    elif capability not in CAPABILITIES:
        yield None, Reason(Why.NOT_COMPUTED, (("capability", capability),))
    elif capability not in accepted:
        refused = None if "capabilities" in backend.at_run_time else False
        yield refused, Reason(Why.CAPABILITY, (("capability", capability), *values), backend.source)


def _head_size(backend: Backend, size: int | None) -> Iterator[Finding]:
    accepted = backend.head_sizes
    if accepted is None:
        yield None, Reason(Why.RUN_TIME, (), backend.source)
        return
    values = (("size", str(size)), ("accepted", _few(tuple(map(str, accepted)))))
    if size is None or size not in HEAD_SIZES:
        if set(HEAD_SIZES) - set(accepted):
            yield None, Reason(Why.HEAD_SIZE, values, backend.source)
    elif size not in accepted:
        refused = None if "head_sizes" in backend.at_run_time else False
        yield refused, Reason(Why.HEAD_SIZE, values, backend.source)


def _kv_cache(backend: Backend, wanted: str) -> Iterator[Finding]:
    accepted = backend.kv_cache_dtypes
    if accepted is None:
        if wanted != AUTO:
            yield None, Reason(Why.RUN_TIME, (), backend.source)
    elif wanted not in accepted:
        refused = None if "kv_cache_dtypes" in backend.at_run_time else False
        values = (("wanted", wanted), ("accepted", ", ".join(accepted)))
        yield refused, Reason(Why.KV_CACHE_DTYPE, values, backend.source)


def _block_size(question: Question, backend: Backend, wanted: int) -> Iterator[Finding]:
    accepted = backend.block_sizes
    if accepted is None:
        yield None, Reason(Why.RUN_TIME, (), backend.source)
        return
    floor = parse_version(_BLOCKS_OF_KERNELS)
    in_blocks = floor is not None and question.release.version >= floor
    fits = any(
        wanted % int(one.removeprefix("x")) == 0 if one.startswith("x") or in_blocks else wanted == int(one)
        for one in accepted
    )
    if accepted and not fits:
        shown = ", ".join(f"a multiple of {one[1:]}" if one.startswith("x") else one for one in accepted)
        yield False, Reason(Why.BLOCK_SIZE, (("wanted", str(wanted)), ("accepted", shown)), backend.source)


def _few(values: tuple[str, ...]) -> str:
    """Return a list of sizes, a long one by its ends."""
    return ", ".join(values) if len(values) <= _MOST else f"{', '.join(values[:3])} … {values[-1]}"


def spans(accepted: tuple[str, ...]) -> str:
    """Return capabilities with runs of neighbours joined: `8.0-9.0, 12.0`."""
    parts: list[str] = []
    run: list[str] = []
    for one in (*CAPABILITIES, None):
        if one is not None and one in accepted:
            run.append(one)
        elif run:
            parts.append(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}")
            run = []
    return ", ".join(parts)
