"""Numbers of a launch that must divide or be covered by others: heads, GPUs. Not for lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.version import Version

from rules.engine.preflight.faults import Edit, Fault
from rules.engine.preflight.findings import Severity
from rules.engine.remedy.accepts import below
from rules.engine.report import Change, FixKind, Risk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.engine.preflight.case import Case

SIZE = "--tensor-parallel-size"
PIPELINE = "--pipeline-parallel-size"
VISIBLE = "CUDA_VISIBLE_DEVICES"
#: more than any server has
_MOST_GPUS = 4096
#: before, more ranks than GPUs made vLLM look for a Ray cluster (vllm/config/parallel.py)
_GPUS_ARE_COUNTED = Version("0.13.0")


def check(case: Case) -> Iterator[Fault]:
    """Yield sizes that the model or the machine cannot be split into."""
    size = case.number(SIZE)
    if size is not None and 0 < size <= _MOST_GPUS:
        yield from _heads(case, size)
    yield from _gpus(case)
    yield from _bfloat16(case)


def _heads(case: Case, size: int) -> Iterator[Fault]:
    heads, kv_heads = case.shape.heads, None if case.shape.mla else case.shape.kv_heads
    fixes = _smaller(heads, kv_heads, size)
    if heads is not None and heads % size:
        values = {"heads": str(heads), "size": str(size)}
        yield _not_divisible("heads-not-divisible", "heads-not-divisible", values, fixes)
    elif not _splits(kv_heads, size):
        values = {"heads": str(kv_heads), "size": str(size)}
        yield _not_divisible("preflight-kv-heads", "kv-heads-not-divisible", values, fixes)


def _not_divisible(rule: str, phrase: str, values: dict[str, str], fixes: tuple[Edit, ...]) -> Fault:
    failure_class = "tensor-parallel-size-invalid"
    return Fault(rule, failure_class, Severity.BLOCKS_START, phrase, SIZE, values, fixes)


def _splits(kv_heads: int | None, size: int) -> bool:
    """Tell whether key-value heads can be dealt out to the GPUs, or one of them copied to several."""
    return kv_heads is None or max(kv_heads, size) % min(kv_heads, size) == 0


def _smaller(heads: int | None, kv_heads: int | None, size: int) -> tuple[Edit, ...]:
    """Return the fix with the largest smaller size that suits both kinds of heads, a power of two before others.

    What else is split, such as the width of a layer, is nearly always a multiple of powers of two.
    """
    suiting = [one for one in range(1, size) if (heads or 1) % one == 0 and _splits(kv_heads, one)]
    fitting = max(suiting, key=lambda one: (one & (one - 1) == 0 and one > 1, one), default=1)
    values = {"setting": SIZE, "value": str(fitting)}
    change = Change(flags_set={SIZE: str(fitting)})
    return (Edit("divisor", FixKind.SET_FLAG, "fix.set-flag", change, values, Risk.PERFORMANCE),)


def _gpus(case: Case) -> Iterator[Fault]:
    visible = case.env(VISIBLE)
    if visible is None or case.is_open(visible) or case.known.machine.platform != "cuda":
        return
    listed = [part for part in visible.split(",") if part.strip()]
    if not listed or listed[0].strip().startswith("-"):
        said = {"removed": VISIBLE}
        yield Fault(
            "preflight-no-gpu-visible",
            "no-cuda-gpus-visible",
            Severity.BLOCKS_START,
            "no-gpu-visible",
            VISIBLE,
            {"variable": VISIBLE},
            (Edit("unset-variable", FixKind.UNSET_ENV, "fix.unset-env.plain", Change((VISIBLE,)), said),),
        )
        return
    ranks = (case.number(SIZE) or 1) * (case.number(PIPELINE) or 1)
    if ranks > len(listed) and _on_one_node(case):
        yield Fault(
            "more-ranks-than-gpus",
            "tensor-parallel-size-invalid",
            Severity.BLOCKS_START,
            "more-ranks",
            SIZE,
            {"size": str(ranks), "gpus": str(len(listed)), "variable": VISIBLE},
            printed=(
                f"ValueError: World size ({ranks}) is larger than the number of available GPUs ({len(listed)}) "
                "in this node."
            ),
        )


def _on_one_node(case: Case) -> bool:
    """Tell whether all ranks must find their GPU here."""
    executor = case.parsed.value("--distributed-executor-backend")
    if executor == "mp":
        return (case.number("--nnodes") or 1) == 1
    many = case.parsed.option("--nnodes") or case.parsed.option("--data-parallel-backend")
    return executor is None and many is None and case.version >= _GPUS_ARE_COUNTED


def _bfloat16(case: Case) -> Iterator[Fault]:
    machine = case.known.machine
    if machine.platform != "cuda" or not below(machine.compute_capability, "8.0"):
        return
    if case.parsed.value("--dtype") == "bfloat16":
        yield Fault(
            "bfloat16-on-old-gpu",
            "bf16-unsupported",
            Severity.BLOCKS_START,
            "bfloat16-on-old-gpu",
            "--dtype",
            {"capability": machine.compute_capability or ""},
            printed=(
                "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. "
                f"Your GPU has compute capability {machine.compute_capability}."
            ),
        )
