"""Sentences for a matrix: reasons, remarks, how to choose. Not for how they are laid out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.locale import say
from rules.engine.backend_matrix.limits import spans
from rules.engine.backend_matrix.rows import Remark, Verdict, Why

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rules.engine.backend_matrix.rows import Column, Matrix, Reason, Row, Setting, Side

#: names for platforms that people use
_PLATFORMS = {"cuda": "NVIDIA", "rocm": "AMD ROCm", "xpu": "Intel XPU", "cpu": "CPU", "tpu": "TPU"}
_BETWEEN = {"en": "; ", "zh": "；"}


def between(language: str) -> str:
    """Return what stands between two clauses."""
    return _BETWEEN[language]


def title_of(matrix: Matrix, language: str) -> str:
    """Return what the matrix is about."""
    if matrix.gpu is None:
        return say("backends.title", language, version=matrix.version)
    capability = matrix.columns[0].capability
    gpu = matrix.gpu
    if capability is not None and capability not in gpu:
        gpu = say("backends.gpu.named", language, gpu=gpu, capability=capability)
    return say("backends.title.gpu", language, version=matrix.version, gpu=gpu)


def text_heading(matrix: Matrix, language: str) -> str:
    """Return the heading of the language model's side."""
    size = matrix.model.head_size if matrix.model is not None else None
    if size is None:
        return say("backends.text", language)
    return say("backends.text.size", language, size=size)


def vision_heading(matrix: Matrix, language: str) -> str:
    """Return the heading of the encoder's side."""
    if matrix.model is None:
        return say("backends.vision.any", language)
    return say("backends.vision.of", language, family=matrix.model.family)


def verdict_word(row: Row, language: str) -> str:
    """Return `yes`, `no` or `open`."""
    names = {Verdict.WORKS: "yes", Verdict.FAILS: "no", Verdict.OPEN: "open"}
    return say(f"backends.{names[row.verdict]}", language)


def reason_words(verdict: Verdict, reason: Reason, language: str) -> str:
    """Return one reason as a clause without a full stop."""
    values = dict(reason.values)
    key = f"backends.{verdict.value}.{reason.why.value}"
    if reason.why is Why.WHICH_ENCODER and "refusing" in values:
        key += ".refusing"
    if "platform" in values:
        values["platform"] = _PLATFORMS.get(values["platform"], values["platform"])
    return say(key, language, **values)


def row_words(row: Row, language: str) -> str:
    """Return all reasons of a row; empty for one that simply works."""
    return _BETWEEN[language].join(reason_words(row.verdict, reason, language) for reason in row.reasons)


def sources_of(row: Row) -> str:
    """Return the places in vLLM's source that a row rests on, once each."""
    return ", ".join(dict.fromkeys(str(one.source) for one in row.reasons if one.source is not None))


def default_words(side: Side, language: str) -> str:
    """Return what vLLM takes by itself."""
    parts = [
        say("backends.default.with", language, package=package, backend=backend)
        for package, backend in side.default_with
    ]
    if side.default is not None:
        parts.append(say("backends.default.is", language, backend=side.default))
    if not parts:
        return say("backends.default.none", language)
    return _BETWEEN[language].join(parts)


def settings_words(settings: Sequence[Setting], backend: str, language: str, mark: str = "") -> str:
    """Return how to choose a backend, the way to use first; `mark` stands round what is typed."""
    examples = []
    for setting in settings:
        text = f"{mark}{example_of(setting, backend)}{mark}"
        if setting.warning is not None:
            text += f" ({say('backends.deprecated', language)})"
        examples.append(text)
    return f" {say('backends.or', language)} ".join(examples)


def example_of(setting: Setting, backend: str) -> str:
    """Return a setting as it is written: `--flag NAME` or `VARIABLE=NAME`."""
    return f"{setting.name} {backend}" if setting.name.startswith("-") else f"{setting.name}={backend}"


def remark_words(matrix: Matrix, language: str) -> list[str]:
    """Return every remark as a sentence."""
    return [_remark(remark, dict(values), language) for remark, values in matrix.remarks]


def _remark(remark: Remark, values: dict[str, str], language: str) -> str:
    key = f"backends.remark.{remark.value}"
    if remark is Remark.ARCHITECTURE and not values["package"]:
        key += ".plain"
    return say(key, language, **values)


def machine_names(columns: Iterable[Column]) -> str:
    """Return the compute capabilities of columns, neighbours joined; the platform where there are none."""
    found = list(columns)
    capabilities = tuple(one.capability for one in found if one.capability is not None)
    return (
        spans(capabilities) or ", ".join(capabilities) or _PLATFORMS.get(found[0].platform, found[0].platform)
    )
