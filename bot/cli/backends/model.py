"""The matrix as JSON: its models, for the reference, and filling them. Not for printing."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from bot.backends.words import example_of, reason_words, remark_words
from rules.engine.backend_matrix.rows import Column, Matrix, Remark, Row, Setting, Side, Verdict, Why
from rules.releases.model import Part

_WORKS = {Verdict.WORKS: True, Verdict.FAILS: False, Verdict.OPEN: None}


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ReasonModel(_Strict):
    """Why a backend does not work, what would decide it, or what it uses."""

    code: Why
    text: str
    values: dict[str, str]
    source: str | None = Field(description="file:line in the release's own source")


class BackendModel(_Strict):
    """One backend."""

    backend: str
    works: bool | None = Field(description="null: open; the reasons say what would decide it")
    order: int | None = Field(description="place among those that the release tries by itself, from 1")
    default: bool = Field(description="what the release takes when nothing is chosen")
    reasons: list[ReasonModel]


class SideModel(_Strict):
    """One part of the model: tried backends in their order, then the others."""

    default: str | None = Field(description="null: it depends on what is open")
    default_where_installed: dict[str, str] = Field(description="package → what is taken instead with it")
    source: str | None
    backends: list[BackendModel]


class ColumnModel(_Strict):
    """All that holds on one machine."""

    platform: str
    compute_capability: str | None
    text: SideModel
    vision: SideModel | None = Field(description="null: the model has no encoder, or is unknown")


class SettingModel(_Strict):
    """A flag or variable that chooses the backend of a part in this release."""

    setting: str
    example: str
    reaches: list[Part]
    deprecated: str | None = Field(description="what vLLM prints about it")
    source: str | None


class SettingsModel(_Strict):
    """How to choose, the way to use first."""

    text: list[SettingModel]
    vision: list[SettingModel]


class FamilyModel(_Strict):
    """What is known of the model."""

    family: str
    head_size: int | None
    mla: bool
    sparse: bool
    encoder_head_size: int | None
    has_encoder: bool


class NoteModel(_Strict):
    """A remark."""

    kind: Remark
    text: str


class MatrixModel(_Strict):
    """The whole answer of `vllm-diagnose backends --json`."""

    schema_number: Literal[1] = Field(alias="schema")
    vllm_version: str
    gpu: str | None
    model: str | None = Field(description="as it was asked for")
    known_model: FamilyModel | None
    columns: list[ColumnModel]
    settings: SettingsModel
    notes: list[NoteModel]


def json_schema() -> dict[str, object]:
    """Return the JSON Schema of `backends --json`."""
    return MatrixModel.model_json_schema(by_alias=True)


def matrix_to_json(matrix: Matrix, language: str) -> dict[str, object]:
    """Return the matrix as plain JSON values."""
    model = matrix.model
    notes = zip(matrix.remarks, remark_words(matrix, language), strict=True)
    filled = MatrixModel(
        schema=1,
        vllm_version=matrix.version,
        gpu=matrix.gpu,
        model=matrix.asked_model,
        known_model=None
        if model is None
        else FamilyModel(
            family=model.family,
            head_size=model.head_size,
            mla=model.mla,
            sparse=model.sparse,
            encoder_head_size=model.encoder.head_size if model.encoder else None,
            has_encoder=model.encoder is not None,
        ),
        columns=[_column(column, language) for column in matrix.columns],
        settings=SettingsModel(
            text=[_setting(one) for one in matrix.text_settings],
            vision=[_setting(one) for one in matrix.vision_settings],
        ),
        notes=[NoteModel(kind=remark, text=text) for (remark, _), text in notes],
    )
    return filled.model_dump(mode="json", by_alias=True)


def _column(column: Column, language: str) -> ColumnModel:
    vision = None if column.vision is None else _side(column.vision, language)
    return ColumnModel(
        platform=column.platform,
        compute_capability=column.capability,
        text=_side(column.text, language),
        vision=vision,
    )


def _side(side: Side, language: str) -> SideModel:
    return SideModel(
        default=side.default,
        default_where_installed=dict(side.default_with),
        source=str(side.source) if side.source else None,
        backends=[_backend(row, language) for row in side.rows],
    )


def _backend(row: Row, language: str) -> BackendModel:
    reasons = [
        ReasonModel(
            code=reason.why,
            text=reason_words(row.verdict, reason, language),
            values=dict(reason.values),
            source=str(reason.source) if reason.source else None,
        )
        for reason in row.reasons
    ]
    return BackendModel(
        backend=row.backend,
        works=_WORKS[row.verdict],
        order=row.place,
        default=row.is_default,
        reasons=reasons,
    )


def _setting(setting: Setting) -> SettingModel:
    return SettingModel(
        setting=setting.name,
        example=example_of(setting, "NAME"),
        reaches=list(setting.parts),
        deprecated=setting.warning,
        source=str(setting.source) if setting.source else None,
    )
