"""What attention needs to know of a model: from its name, or from its configuration. Not for loading models."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from rules.engine.paste.facts import Facts
from rules.engine.remedy.machine import tower_machine

DATA: Final = Path(__file__).parents[2] / "models.yaml"
#: words of the longest name in the data
_LONGEST_NAME: Final = 5
#: a longer text is no name of a model
_LONGEST_TEXT: Final = 300
_SEPARATORS: Final = re.compile(r"[^a-z0-9.]+")
#: no head is larger; a larger number is no head size
_LARGEST_HEAD: Final = 4096
#: types of language models that vLLM runs with latent attention (`is_deepseek_mla`, vllm/config/model.py of
#: 0.12.0, vllm/transformers_utils/model_arch_config_convertor.py of 0.33.0); others expand it
_LATENT: Final = frozenset(
    {"deepseek_v2", "deepseek_v3", "deepseek_v32", "deepseek_v4", "deepseek_v41", "deepseek_mtp", "kimi_k2"}
    | {"kimi_linear", "longcat_flash", "pangu_ultra_moe", "pangu_ultra_moe_mtp", "glm_moe_dsa", "axk1"}
    | {"glm4_moe_lite", "glm4_moe_lite_mtp", "glm5_next", "glm5_next_text", "dots3_note", "k3_dspark"}
    | {"bailing_hybrid", "bailing_hybrid_mtp", "bailing_hybrid_v3_mtp", "hy_v4", "hy_v4_mtp"}
)
#: keys of a configuration that tell of an encoder for pictures
_VISION: Final = ("vision_config", "vision_tower_config", "visual")


@dataclass(frozen=True, slots=True)
class Encoder:
    """The vision encoder of a model."""

    #: what its own check prints (`Qwen3-VL`), None for an encoder on vLLM's shared layer
    label: str | None = None
    head_size: int | None = None
    #: False: it has neither a check nor vLLM's shared attention layer, but code of its own
    is_shared: bool = True
    #: first release in which it hands over the lengths that FLASHINFER needs; None: in none
    lengths_since: str | None = None


@dataclass(frozen=True, slots=True)
class Model:
    """A model, as far as attention is concerned."""

    #: what people call it (`Qwen3-VL`)
    family: str
    #: of the language model; None: unknown
    head_size: int | None
    mla: bool = False
    #: it looks at a selection of tokens only (DeepSeek-V3.2)
    sparse: bool = False
    #: attention sinks (gpt-oss)
    sinks: bool = False
    #: first release in which the tokens of a picture see each other
    prefix_since: str | None = None
    #: newest release looked at that lacks its architecture
    lacking: str | None = None
    encoder: Encoder | None = None


def read_model(name: str) -> Model | None:
    """Return the model that a hub id, a path, a class or a plain name means; None for one that is unknown."""
    last = name[:_LONGEST_TEXT].strip().rstrip("/").rpartition("/")[2]
    by_class = _known().by_architecture.get(last)
    return by_class or _named(_words(last)) or _named(_words(name[:_LONGEST_TEXT]))


def model_of_config(config: Mapping[str, Any], name: str) -> Model | None:
    """Return the model that a `config.json` describes; None when it says nothing of attention.

    What the file says wins over what is known of its architecture. `name` is shown for an unknown one.
    """
    classes = config.get("architectures")
    known = [_known().by_architecture.get(str(one)) for one in (classes if isinstance(classes, list) else [])]
    model = next((one for one in known if one is not None), None)
    whole = _part(config, "thinker_config")
    text = _part(whole, "text_config", "llm_config", "language_config")
    # a part of a configuration without its type is read as what it looks like
    may_be_latent = text.get("model_type") is None or str(text["model_type"]) in _LATENT
    mla = may_be_latent and _number(text, "kv_lora_rank") is not None
    head_size = _latent_size(text) if mla else _head_size(text)
    vision = next((whole[key] for key in _VISION if isinstance(whole.get(key), Mapping)), None)
    if model is None and head_size is None and vision is None:
        return None
    encoder = Encoder(head_size=_head_size(vision), is_shared=False) if vision is not None else None
    found = model or Model(name, None, encoder=encoder)
    sparse = found.sparse or (mla and "index_topk" in text)
    return replace(found, head_size=head_size or found.head_size, mla=mla or found.mla, sparse=sparse)


def _part(config: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """Return the first part of a configuration that is there, else the whole."""
    return next((config[key] for key in keys if isinstance(config.get(key), Mapping)), config)


def _latent_size(text: Mapping[str, Any]) -> int | None:
    rank, rotary = _number(text, "kv_lora_rank"), _number(text, "qk_rope_head_dim")
    return None if rank is None or rotary is None else rank + rotary


def _named(words: list[str]) -> Model | None:
    names = _known().by_name
    for length in range(min(_LONGEST_NAME, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            found = names.get(tuple(words[start : start + length]))
            if found is not None:
                return found
    return None


def _words(text: str) -> list[str]:
    return [word.strip(".") for word in _SEPARATORS.split(text.lower()) if word.strip(".")]


def _number(config: Mapping[str, Any], *keys: str) -> int | None:
    values = (config.get(key) for key in keys)
    return next(
        (one for one in values if isinstance(one, int) and not isinstance(one, bool) and 0 < one < 1 << 20),
        None,
    )


def _head_size(config: Mapping[str, Any]) -> int | None:
    # latent attention that is expanded has heads of both parts together
    parts = _number(config, "qk_nope_head_dim"), _number(config, "qk_rope_head_dim")
    expanded = parts[0] + parts[1] if parts[0] is not None and parts[1] is not None else None
    stated = expanded or _number(config, "head_dim", "attention_head_dim")
    width = _number(config, "embed_dim", "hidden_size", "width")
    heads = _number(config, "num_attention_heads", "num_heads")
    size = stated or (width // heads if width and heads and width % heads == 0 else None)
    return size if size is not None and size <= _LARGEST_HEAD else None


@dataclass(frozen=True, slots=True)
class _Known:
    by_name: Mapping[tuple[str, ...], Model]
    by_architecture: Mapping[str, Model]


@cache
def _known() -> _Known:
    import yaml  # noqa: PLC0415 -- a diagnosis never needs it

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    data = yaml.load(DATA.read_text(encoding="utf-8"), Loader=loader)  # noqa: S506 -- both loaders are safe ones
    names: dict[tuple[str, ...], Model] = {}
    architectures: dict[str, Model] = {}
    for entry in data["families"]:
        model = _model(entry)
        names.update({tuple(_words(name)): model for name in entry["names"]})
        architectures.update(dict.fromkeys(entry.get("architectures", ()), model))
    return _Known(names, architectures)


def _model(entry: Mapping[str, Any]) -> Model:
    encoder = None
    if "encoder" in entry:
        found = entry["encoder"]
        label = found.get("label")
        size = tower_machine(Facts(), label).head_size if label else found.get("head_size")
        encoder = Encoder(label, size, found.get("shared", True), found.get("lengths_since"))
    traits = {
        key: entry[key] for key in ("mla", "sparse", "sinks", "prefix_since", "lacking") if key in entry
    }
    return Model(entry["family"], entry["head_size"], encoder=encoder, **traits)


def families() -> tuple[Model, ...]:
    """Return every family that is known, once."""
    return tuple(dict.fromkeys(_known().by_name.values()))
