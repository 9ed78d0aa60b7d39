"""Files that a local model folder lacks, and quantization that its configuration denies. Reads no file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.engine.preflight.checks.words.values import without
from rules.engine.preflight.faults import Fault
from rules.engine.preflight.findings import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.engine.preflight.case import Case

_CONFIGS = frozenset({"config.json", "params.json"})
_WEIGHTS = (".safetensors", ".bin", ".pt", ".pth", ".gguf", ".tensors", ".npz")
#: load formats that need no weights in the folder
_ELSEWHERE = frozenset(
    {"dummy", "tensorizer", "runai_streamer", "runai_streamer_sharded", "modelexpress", "ipc_cache"}
)
#: methods whose weights are made by a tool that leaves a configuration
_PREPARED = frozenset({"awq", "awq_marlin", "gptq", "gptq_marlin"})
_QUANT_FILES = frozenset({"quantize_config.json", "quant_config.json", "quantization_config.json"})


def check(case: Case) -> Iterator[Fault]:
    """Yield what the folder of the model lacks."""
    files = case.known.model_files
    if files is None:
        return
    if not files & _CONFIGS and not any(name.endswith(".gguf") for name in files):
        yield Fault(
            "model-repository-invalid",
            "model-files-missing",
            Severity.BLOCKS_START,
            "no-model-config",
            "model",
            printed="ValueError: Invalid repository ID or local directory specified: 'model'",
        )
        return
    if case.parsed.value("--load-format") not in _ELSEWHERE and not any(
        name.endswith(_WEIGHTS) for name in files
    ):
        yield Fault(
            "weights-not-there",
            "model-files-missing",
            Severity.BLOCKS_START,
            "no-weights",
            "model",
            printed="RuntimeError: Cannot find any model weights with `model`",
        )
    yield from _quantization(case, files)


def _quantization(case: Case, files: frozenset[str]) -> Iterator[Fault]:
    option = case.parsed.option("--quantization")
    value = (case.parsed.value("--quantization") or "").lower()
    if option is None or value not in _PREPARED or files & _QUANT_FILES or case.shape.quantization != "":
        return
    yield Fault(
        "preflight-not-quantized",
        "model-files-missing",
        Severity.BLOCKS_START,
        "not-quantized",
        "--quantization",
        {"given": value},
        (without(option),),
    )
