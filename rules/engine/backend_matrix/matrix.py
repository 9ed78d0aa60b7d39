"""Builds a whole matrix: its columns, its settings, its remarks. Not for one backend."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rules.engine.backend_matrix.question import AUTO, Question
from rules.engine.backend_matrix.rows import Column, Matrix, Remark, Setting
from rules.engine.backend_matrix.text import text_side
from rules.engine.backend_matrix.vision import default_refused, vision_side
from rules.engine.gpus import read_gpu
from rules.engine.paste.facts import Facts
from rules.engine.remedy.machine import completions, text_machine
from rules.engine.versions import parse_version, within
from rules.releases.model import CAPABILITIES, Part, Unread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.engine.backend_matrix.models import Model
    from rules.engine.gpus import Gpu
    from rules.releases.release import Release, Where

VARIABLE = "VLLM_ATTENTION_BACKEND"
TEXT_FLAG = "--attention-backend"
VISION_FLAG = "--mm-encoder-attn-backend"
#: releases whose newer engine runs by default and hands over to the older one for a backend that it lacks
#: (`_is_v1_supported_oracle`, vllm/engine/arg_utils.py)
_TWO_ENGINES = ">=0.8,<0.11"
_SETTINGS = {Part.TEXT: (TEXT_FLAG, VARIABLE), Part.TOWER: (VISION_FLAG, VARIABLE)}

_Remark = tuple[Remark, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody wants to know, in their words; the release is known already."""

    release: Release
    #: any spelling of a product, or a compute capability; None: all capabilities
    gpu: str | None = None
    #: as it was named; None: any model
    model_name: str | None = None
    #: what the name means; None: unknown
    model: Model | None = None
    kv_cache_dtype: str = AUTO
    block_size: int | None = None


def build_matrix(asked: Asked) -> Matrix:
    """Return the matrix: one column for the machine, or one per compute capability when no GPU is known."""
    release = asked.release
    gpu = read_gpu(asked.gpu) if asked.gpu else None
    where = _where(asked, gpu)
    questions = [_question(asked, one) for one in _machines(where)]
    columns = tuple(_column(asked, one) for one in questions)
    return Matrix(
        version=str(release.version),
        gpu=(gpu.product or asked.gpu if gpu else None),
        asked_model=asked.model_name,
        model=asked.model,
        columns=columns,
        text_settings=settings_of(release, Part.TEXT),
        vision_settings=settings_of(release, Part.TOWER) if columns[0].vision else (),
        remarks=tuple(dict.fromkeys(_remarks(asked, gpu, questions))),
    )


def settings_of(release: Release, part: Part) -> tuple[Setting, ...]:
    """Return what chooses the backend of a part, the one to use first."""
    reaches = (release.reach(name) for name in _SETTINGS[part])
    return tuple(
        Setting(reach.setting, reach.parts, reach.message, reach.source)
        for reach in reaches
        if part in reach.parts
    )


def _where(asked: Asked, gpu: Gpu | None) -> Where:
    facts = Facts()
    if gpu is not None:
        # nearly all hosts are x86-64; a remark says where the other would differ
        architecture = gpu.architecture or "x86_64"
        facts = Facts(
            compute_capability=gpu.capability, platform=gpu.platform or "cuda", architecture=architecture
        )
    where = replace(text_machine(facts), architecture=facts.architecture or "x86_64")
    if asked.model is not None and asked.model.head_size is not None:
        where = replace(where, head_size=asked.model.head_size, mla=asked.model.mla)
    return where


def _machines(where: Where) -> Iterator[Where]:
    yield from completions(where)


def _question(asked: Asked, where: Where) -> Question:
    return Question(asked.release, where, asked.model, asked.kv_cache_dtype, asked.block_size)


def _column(asked: Asked, question: Question) -> Column:
    model = asked.model
    vision = None
    if asked.model_name is None or (model is not None and model.encoder is not None):
        vision = vision_side(question, model.encoder if model is not None else None)
    where = question.where
    return Column(where.platform, where.compute_capability, text_side(question), vision)


def _remarks(asked: Asked, gpu: Gpu | None, questions: list[Question]) -> Iterator[_Remark]:
    release, model = asked.release, asked.model
    version = str(release.version)
    if asked.model_name is not None and model is None:
        yield Remark.UNKNOWN_MODEL, (("model", asked.model_name),)
    if model is not None and model.lacking is not None:
        newest = parse_version(model.lacking)
        if newest is not None and release.version <= newest:
            yield Remark.MODEL_LACKING, (("model", model.family), ("version", version))
    if model is None or model.head_size is None:
        yield Remark.HEAD_SIZE_ASSUMED, (("size", str(questions[0].where.head_size)),)
    if asked.gpu is not None and gpu is None:
        yield Remark.UNKNOWN_GPU, (("gpu", asked.gpu),)
    capability = gpu.capability if gpu else None
    if capability is not None and capability not in CAPABILITIES:
        yield Remark.CAPABILITY_OUTSIDE, (("capability", capability), ("first", CAPABILITIES[0]))
    yield from _of_settings(release)
    yield from _of_encoder(asked, gpu, questions)


def _of_settings(release: Release) -> Iterator[_Remark]:
    reach = release.reach(VARIABLE)
    version = str(release.version)
    if set(reach.parts) >= {Part.TEXT, Part.TOWER}:
        yield Remark.REACHES_BOTH, (("variable", VARIABLE),)
    if within(release.version, _TWO_ENGINES):
        yield Remark.OTHER_ENGINE, (("version", version),)
    if reach.unread is not Unread.IS_READ:
        yield Remark.VARIABLE_UNREAD, (("variable", VARIABLE), ("version", version))


def _of_encoder(asked: Asked, gpu: Gpu | None, questions: list[Question]) -> Iterator[_Remark]:
    encoder = asked.model.encoder if asked.model is not None else None
    release = asked.release
    rescue = release.tower_rescued_by()
    if rescue is not None and (encoder is not None or asked.model_name is None):
        yield Remark.RESCUE, (("package", rescue),)
    if encoder is None:
        return
    for question in questions:
        where = replace(question.where, head_size=encoder.head_size, mla=False)
        here = release.tower_default(where)
        there = release.tower_default(replace(where, architecture="aarch64"))
        if (gpu is None or gpu.architecture is None) and here != there and there is not None:
            values = (("backend", there.backend), ("package", there.missing_package or ""))
            yield Remark.ARCHITECTURE, values
        if default_refused(question, encoder):
            default = here.backend if here else ""
            yield Remark.DEFAULT_REFUSED, (("family", encoder.label or ""), ("backend", default))
