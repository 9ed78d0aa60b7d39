"""The encoder's side of a matrix. Not for language models."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rules.engine.backend_matrix.models import Encoder
from rules.engine.backend_matrix.question import PACKAGES, installs, package_reason
from rules.engine.backend_matrix.rows import SHOWN_FIRST, Reason, Row, Side, Verdict, Why
from rules.engine.remedy.accepts import below, tower_accepts
from rules.engine.versions import parse_version
from rules.releases.attention import belongs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.version import Version

    from rules.engine.backend_matrix.question import Question
    from rules.releases.model import Backend, Tower
    from rules.releases.release import Choice, Where

#: from here on encoders without a check of their own ask one function for their backend
#: (`MultiHeadAttention`, vllm/attention/layer.py); before, that layer judged by itself
_SHARED_CHOICE = "0.11.0"
#: what that layer can run; anything else is silently TORCH_SDPA there, up to 0.12.0
_SHARED_LAYER = ("TORCH_SDPA", "XFORMERS", "PALLAS", "ROCM_AITER_FA", "FLASH_ATTN")
#: before it, encoders took FlashAttention from the package, not from what vLLM brings along
_BUNDLED_FLASH_ATTN = "0.11.0"
#: FLASHINFER runs encoders by cuDNN, which has no such kernels for older GPUs
_CUDNN_FLOOR = "8.0"
_CUDNN = "nvidia-cudnn-frontend"
_REPLACEMENT = "TORCH_SDPA"
_REFUSING = frozenset({Why.CAPABILITY, Why.NO_LENGTHS})


def vision_side(question: Question, encoder: Encoder | None) -> Side:
    """Return every backend for an encoder; None stands for any encoder, where they need not agree."""
    release = question.release
    if encoder is None:
        return _joined([(one, vision_side(question, one)) for one in _kinds_of_encoders(question)])
    where = replace(question.where, head_size=encoder.head_size, mla=False)
    rows = {backend.name: _row(question, encoder, where, backend) for backend in _asked(question)}
    default = _default(question, encoder, where)
    backend = default.backend if default is not None else None
    if backend is not None and backend in rows:
        rows[backend] = replace(rows[backend], is_default=True)
    shown = [row for row in rows.values() if row.backend == backend]
    shown += sorted(
        (row for row in rows.values() if row.backend != backend),
        key=lambda row: SHOWN_FIRST.index(row.verdict),
    )
    return Side(tuple(shown), backend, (), release.tower_default_place(where) if backend else None)


def default_refused(question: Question, encoder: Encoder) -> bool:
    """Tell whether an encoder refuses what the release gives it when nothing is set."""
    side = vision_side(question, encoder)
    return any(row.is_default and row.verdict is Verdict.FAILS for row in side.rows)


def _asked(question: Question) -> list[Backend]:
    """Return the names that somebody may try for an encoder on this platform."""
    return [
        backend
        for backend in question.release.backends()
        if not backend.mla and not backend.sparse and backend.name not in {"NO_ATTENTION", "CUSTOM"}
        if belongs(backend, question.where.platform) or backend.name == _REPLACEMENT
    ]


def _kinds_of_encoders(question: Question) -> Iterator[Encoder]:
    """Yield one encoder of each kind that the release tells apart."""
    yield Encoder()
    for tower in question.release.towers():
        if tower.reachable:
            yield Encoder(tower.label)


def _joined(sides: list[tuple[Encoder, Side]]) -> Side:
    """Return what all kinds of encoders have in common; where they differ, the encoder decides."""
    by_name: dict[str, list[tuple[Encoder, Row]]] = {}
    for encoder, side in sides:
        for row in side.rows:
            by_name.setdefault(row.backend, []).append((encoder, row))
    rows = [_of_all(alike) for alike in by_name.values()]
    rows.sort(key=lambda row: (not row.is_default, SHOWN_FIRST.index(row.verdict)))
    default = next((row.backend for row in rows if row.is_default), None)
    return Side(tuple(rows), default, (), sides[0][1].source if default else None)


def _of_all(alike: list[tuple[Encoder, Row]]) -> Row:
    first = alike[0][1]
    is_default = all(row.is_default for _, row in alike)
    if all(row.verdict is first.verdict for _, row in alike):
        return replace(first, is_default=is_default)
    refusing = [one.label for one, row in alike if one.label and _is_refused(row)]
    values = (("refusing", ", ".join(refusing)),) if refusing else ()
    return Row(first.backend, Verdict.OPEN, (Reason(Why.WHICH_ENCODER, values),), is_default=is_default)


def _is_refused(row: Row) -> bool:
    return any(reason.why is Why.ENCODER_REFUSES for reason in row.reasons)


def _default(question: Question, encoder: Encoder, where: Where) -> Choice | None:
    """Return what the encoder gets when nothing is set; None while that is open."""
    release = question.release
    if encoder.label is None or release.tower(encoder.label) is None:
        by_itself = release.tower_choices_place(where) is None and not encoder.is_shared
        if by_itself or _before(release.version, _SHARED_CHOICE):
            return None
        choice = release.tower_default(where)
        # the shared layer looks whether the package is there
        return replace(choice, backend=_REPLACEMENT) if choice and choice.missing_package else choice
    return release.tower_default(where)


def _row(question: Question, encoder: Encoder, where: Where, backend: Backend) -> Row:
    release, name = question.release, backend.name
    tower = release.tower(encoder.label) if encoder.label else None
    if tower is None and not encoder.is_shared and release.tower_choices_place(where) is None:
        return Row(name, Verdict.OPEN, (Reason(Why.OWN_CODE),))
    refusal = _refusal(question, tower, where, name)
    if refusal is not None:
        is_open = refusal.why is Why.PICKS_ITSELF
        return Row(name, Verdict.OPEN if is_open else Verdict.FAILS, (refusal,))
    reasons = [*_needs(question, encoder, where, backend)]
    for verdict, deciding in ((Verdict.FAILS, _REFUSING), (Verdict.OPEN, set(Why) - {Why.PACKAGE_INCLUDED})):
        found = tuple(reason for reason in reasons if reason.why in deciding)
        if found:
            return Row(name, verdict, found)
    is_known = name in PACKAGES or tower_accepts(release, encoder.label, name, where) is True
    if is_known or (name == "FLASH_ATTN" and where.platform == "cuda"):
        return Row(name, Verdict.WORKS, tuple(reasons))
    return Row(name, Verdict.OPEN, (Reason(Why.RUN_TIME, (), release.tower_default_place(where)),))


def _refusal(question: Question, tower: Tower | None, where: Where, name: str) -> Reason | None:
    """Return why the encoder does not run on a backend, as far as its name alone tells."""
    release, platform = question.release, where.platform
    listed = release.tower_choices_place(where)
    choices = release.tower_choices(where)
    if choices is not None and name not in choices:
        return Reason(Why.NOT_A_CHOICE, (("choices", ", ".join(sorted(choices))),), listed)
    if tower is not None and tower.reachable and name not in tower.accepts:
        if platform in tower.refused_on:
            values = (("label", tower.label), ("message", tower.message.replace("{}", "…")))
            return Reason(Why.ENCODER_REFUSES, values, tower.source)
        return Reason(Why.REPLACED, (("backend", _REPLACEMENT),), tower.source)
    if tower is None and listed is None:
        if _before(release.version, _SHARED_CHOICE):
            return Reason(Why.PICKS_ITSELF)
        if name not in _SHARED_LAYER:
            return Reason(Why.REPLACED, (("backend", _REPLACEMENT),), release.tower_default_place(where))
    return None


def _needs(question: Question, encoder: Encoder, where: Where, backend: Backend) -> Iterator[Reason]:
    """Yield what a backend needs for an encoder, met or not."""
    release, name = question.release, backend.name
    capability = where.compute_capability
    floors = {"FLASH_ATTN": "8.0", "FLASHINFER": _CUDNN_FLOOR}
    if where.platform == "cuda" and name in floors:
        too_old = below(capability, floors[name])
        values = (("capability", str(capability)), ("accepted", f"{floors[name]}-12.1"))
        if too_old is not False:
            yield Reason(Why.GPU if too_old is None else Why.CAPABILITY, values, backend.source)
    if name == "FLASH_ATTN" and where.platform == "cuda" and _before(release.version, _BUNDLED_FLASH_ATTN):
        yield package_reason(question, "flash-attn")
    if name in PACKAGES:
        yield package_reason(question, PACKAGES[name])
    if name == "FLASHINFER":
        if not installs(release, _CUDNN, where.architecture):
            yield package_reason(question, _CUDNN)
        yield from _lengths(question, encoder)


def _lengths(question: Question, encoder: Encoder) -> Iterator[Reason]:
    """Yield why FLASHINFER fails at the first picture, for encoders that do not tell it their lengths."""
    if question.model is None:
        yield Reason(Why.WHICH_ENCODER)
    elif encoder.lengths_since is None or _before(question.release.version, encoder.lengths_since):
        yield Reason(Why.NO_LENGTHS, (("family", question.model.family),))


def _before(version: Version, limit: str) -> bool:
    first = parse_version(limit)
    return first is not None and version < first
