"""Sorts loose words into release, GPU and model, whatever their order: `H100 0.12.0 Qwen3-VL`. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rules.engine.backend_matrix.models import read_model
from rules.engine.gpus import CAPABILITIES, read_gpu

_RELEASE = re.compile(
    r"(?:vllm[=@:_/-]*)?v?([01]\.\d{1,3}(?:\.\d{1,3}){0,2}(?:\.?(?:rc|post|dev|a|b)\d{1,6})?(?:\+[\w.]{1,20})?)",
    re.IGNORECASE,
)
#: words that say nothing here
_FILLERS = frozenset(
    {"for", "on", "with", "in", "and", "the", "a", "an", "of", "at", "under", "using", "please"}
    | {"vllm", "gpu", "gpus", "model", "release", "version"}
)
#: words that only make sense beside a product's name
_BESIDE_GPU = frozenset(
    {"nvidia", "amd", "intel", "tesla", "geforce", "rtx", "gtx", "rx", "quadro", "radeon", "instinct", "arc"}
    | {"pro", "ti", "super", "ada", "titan", "jetson", "xt", "xtx", "ampere", "hopper", "blackwell"}
    | {"sxm", "sxm4", "sxm5", "pcie", "nvl", "hbm2", "hbm2e", "hbm3", "hbm3e", "gddr6"}
)
_MEMORY = re.compile(r"\d{1,4}(?:gb|gib|g)", re.IGNORECASE)
_COUNT = re.compile(r"\d{1,3}x|x\d{1,3}", re.IGNORECASE)
_PLATFORMS = frozenset({"cpu", "rocm", "cuda", "xpu", "tpu"})
_ENDS = ".,;:!?()[]\"'“”‘’`"
#: a question has no more words
_MOST = 16


@dataclass(frozen=True, slots=True)
class Sorted:
    """What the words say."""

    version: str | None = None
    gpu: str | None = None
    model: str | None = None
    #: True when a word is taken for a model only because it is nothing else
    is_doubtful: bool = False


def sorted_words(words: tuple[str, ...]) -> Sorted | None:
    """Return what the words say; None when they say something else."""
    if len(words) > _MOST:
        return None
    kept = [bare for word in words if (bare := word.strip(_ENDS)) and bare.lower() not in _FILLERS]
    versions = [match[1] for word in kept if (match := _release(word))]
    others = [word for word in kept if not _release(word)]
    gpus, rest = _gpu_and_rest(others)
    if len(versions) > 1 or len(gpus) > 1:
        return None
    model = " ".join(rest) or None
    is_known = model is not None and read_model(model) is not None
    if len(rest) > 1 and not is_known:
        return None
    return Sorted(
        versions[0] if versions else None,
        gpus[0] if gpus else None,
        model,
        is_doubtful=model is not None and not is_known,
    )


def _release(word: str) -> re.Match[str] | None:
    return None if word in CAPABILITIES else _RELEASE.fullmatch(word)


def _gpu_and_rest(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the runs of words that name a GPU, and the words that do not."""
    gpus: list[str] = []
    rest: list[str] = []
    run: list[str] = []
    for word in (*words, ""):
        if word and (_names_gpu(word) or _is_beside_gpu(word)):
            run.append(word)
            continue
        name = " ".join(run)
        if run and any(_names_gpu(one) for one in run) and read_gpu(name) is not None:
            gpus.append(name)
        else:
            rest += run
        run = []
        if word:
            rest.append(word)
    return gpus, rest


def _names_gpu(word: str) -> bool:
    """Tell whether a word names a GPU by itself; a hub id that holds such a name does not."""
    if "/" in word or read_model(word) is not None:
        return False
    found = read_gpu(word)
    if found is None:
        return False
    return bool(found.product or found.capability or found.gfx) or word.lower() in _PLATFORMS


def _is_beside_gpu(word: str) -> bool:
    return word.lower() in _BESIDE_GPU or bool(_MEMORY.fullmatch(word) or _COUNT.fullmatch(word))
