"""What a model's `config.json` says that a launch must agree with. Not for reading the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rules.engine.backend_matrix.models import model_of_config, read_model

#: where models keep the configuration of their language part
_TEXT_PARTS = ("text_config", "llm_config", "language_config", "thinker_config")
#: keys that may hold the longest context (vllm/config/model.py, `_get_and_verify_max_len`, all releases)
_LENGTHS = (
    "max_position_embeddings",
    "n_positions",
    "max_seq_len",
    "seq_length",
    "model_max_length",
    "max_target_positions",
    "max_sequence_length",
    "max_seq_length",
    "seq_len",
)
_ENCODERS = ("vision_config", "visual", "vision_tower", "audio_config", "mm_vision_tower", "vision_model")


@dataclass(frozen=True, slots=True)
class ModelShape:
    """Numbers and kinds of a model; what is unknown is None."""

    heads: int | None = None
    kv_heads: int | None = None
    head_size: int | None = None
    #: the longest context that any reading of the configuration allows
    longest: int | None = None
    #: multi-head latent attention; None: not known
    mla: bool | None = None
    #: an encoder for images or sound; None: not known
    has_encoder: bool | None = None
    #: label of an encoder that checks its backend itself
    tower: str | None = None
    #: how the weights are quantized; empty: they are not
    quantization: str | None = None

    @classmethod
    def of(cls, config: Mapping[str, Any] | None, name: str | None) -> ModelShape:
        """Return what a configuration says; without one, what the published name of a model tells."""
        if config is None:
            return cls._named(name)
        text = _text_part(config)
        model = model_of_config(config, name or "")
        encoder = model.encoder if model is not None else None
        return cls(
            heads=_number(text.get("num_attention_heads")),
            kv_heads=_number(text.get("num_key_value_heads")),
            head_size=model.head_size if model is not None else None,
            longest=_longest(config, text),
            mla=model.mla if model is not None else None,
            has_encoder=encoder is not None or any(config.get(part) for part in _ENCODERS),
            tower=encoder.label if encoder is not None else None,
            quantization=_quantization(config, text),
        )

    @classmethod
    def _named(cls, name: str | None) -> ModelShape:
        # a folder of one's own may be called anything
        is_published = "/" in (name or "") and not (name or "").startswith(("/", ".", "~"))
        model = read_model(name or "") if is_published else None
        if model is None:
            return cls()
        encoder = model.encoder
        label = encoder.label if encoder is not None else None
        return cls(head_size=model.head_size, mla=model.mla, has_encoder=encoder is not None, tower=label)


def _text_part(config: Mapping[str, Any]) -> Mapping[str, Any]:
    for part in _TEXT_PARTS:
        inner = config.get(part)
        if isinstance(inner, Mapping):
            return _text_part(inner) if part == "thinker_config" else inner
    return config


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 40 else None


def _longest(config: Mapping[str, Any], text: Mapping[str, Any]) -> int | None:
    """Return the longest context of any key, with the largest factor that any scaling of positions states."""
    parts = (config, text)
    lengths = [_number(part.get(key)) for part in parts for key in _LENGTHS]
    for part in parts:
        for scaling in (part.get("rope_scaling"), part.get("rope_parameters")):
            lengths.extend(_scaled(scaling, [one for one in lengths if one]))
    return max((one for one in lengths if one), default=None)


def _scaled(scaling: object, lengths: list[int]) -> list[int]:
    if not isinstance(scaling, Mapping):
        return []
    inner = [value for value in scaling.values() if isinstance(value, Mapping)]
    found = [one for part in inner for one in _scaled(part, lengths)]
    factor = scaling.get("factor")
    if isinstance(factor, int | float) and not isinstance(factor, bool) and 1 < factor < 1 << 20:
        original = _number(scaling.get("original_max_position_embeddings"))
        found.extend(int(one * factor) for one in (*lengths, *([original] if original else [])))
    return found


def _quantization(config: Mapping[str, Any], text: Mapping[str, Any]) -> str | None:
    for part in (config, text):
        stated = part.get("quantization_config") or part.get("compression_config")
        if isinstance(stated, Mapping):
            method = stated.get("quant_method")
            return str(method).lower() if method else None
    return ""
