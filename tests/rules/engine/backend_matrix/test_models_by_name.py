"""Models as people write them, and as their configuration describes them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.engine.backend_matrix.models import families, model_of_config, read_model
from rules.engine.versions import parse_version
from rules.releases.shipped import load_releases


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("Qwen3-VL", "Qwen3-VL"),
        ("Qwen/Qwen3-VL-30B-A3B-Instruct-FP8", "Qwen3-VL"),
        ("qwen3vl", "Qwen3-VL"),
        ("Qwen3VLMoeForConditionalGeneration", "Qwen3-VL"),
        ("/models/qwen3-vl-8b/", "Qwen3-VL"),
        ("Qwen/Qwen3-32B", "Qwen3"),
        ("Qwen/Qwen2.5-VL-72B-Instruct-AWQ", "Qwen2.5-VL"),
        ("Qwen/Qwen2.5-0.5B-Instruct", "Qwen2.5 0.5B"),
        ("google/gemma-3-27b-it", "Gemma 3 27B"),
        ("google/gemma-2b", "Gemma"),
        ("google/gemma-2-9b-it", "Gemma 2"),
        ("meta-llama/Llama-3.1-8B-Instruct", "Llama"),
        ("meta-llama/Llama-3.2-1B", "Llama 3.2 1B"),
        ("deepseek-ai/DeepSeek-R1", "DeepSeek-V3"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "DeepSeek-R1-Distill-Qwen"),
        ("deepseek-ai/DeepSeek-V3.2-Exp", "DeepSeek-V3.2"),
        ("openai/gpt-oss-120b", "gpt-oss"),
        ("zai-org/GLM-4.1V-9B-Thinking", "GLM-4.1V"),
        ("OpenGVLab/InternVL3_5-8B", "InternVL"),
    ],
)
def test_a_name_means_a_family(name, family):
    assert read_model(name).family == family


@pytest.mark.parametrize("name", ["", "acme/Wonder-9B", "H100", "0.12.0", "/", "-", "vllm"])
def test_what_is_no_known_model_means_none(name):
    assert read_model(name) is None


@settings(max_examples=200)
@given(st.text())
def test_any_text_is_read_without_an_error(text):
    read_model(text)


def test_every_family_is_found_by_its_own_name_and_lacks_only_shipped_releases():
    shipped = load_releases().versions()
    for model in families():
        assert read_model(model.family) == model, model.family
        for text in filter(None, (model.lacking, model.prefix_since)):
            assert parse_version(text) in shipped, model.family


def test_the_encoders_labels_are_those_that_releases_print():
    printed = {
        tower.label for one in load_releases().versions() for tower in load_releases().get(one).towers()
    }

    assert {model.encoder.label for model in families() if model.encoder and model.encoder.label} == printed


def test_a_configuration_wins_over_what_its_class_is_known_for():
    config = {
        "architectures": ["Qwen3VLForConditionalGeneration"],
        "text_config": {"head_dim": 256, "hidden_size": 4096, "num_attention_heads": 32},
        "vision_config": {"hidden_size": 1152, "num_heads": 16},
    }

    model = model_of_config(config, "x")

    assert (model.family, model.head_size, model.encoder.label) == ("Qwen3-VL", 256, "Qwen3-VL")


def test_an_unknown_class_is_read_from_its_numbers():
    latent = {"model_type": "deepseek_v32", "kv_lora_rank": 512, "qk_rope_head_dim": 64, "index_topk": 2048}
    plain = {
        "hidden_size": 3072,
        "num_attention_heads": 32,
        "vision_config": {"hidden_size": 1024, "num_heads": 16},
    }

    mla, seeing = model_of_config(latent, "mine"), model_of_config(plain, "mine")

    assert (mla.family, mla.head_size, mla.mla, mla.sparse) == ("mine", 576, True, True)
    assert (seeing.head_size, seeing.mla, seeing.encoder.head_size) == (96, False, 64)


def test_latent_attention_that_vllm_expands_has_heads_of_both_parts():
    """vllm/model_executor/models/minicpm3.py of 0.12.0, line 127: its type is none of `is_deepseek_mla`."""
    config = {"model_type": "minicpm3", "kv_lora_rank": 256, "qk_nope_head_dim": 64, "qk_rope_head_dim": 32}

    model = model_of_config(config, "x")

    assert (model.head_size, model.mla) == (96, False)
    assert (read_model("openbmb/MiniCPM3-4B").head_size, read_model("openbmb/MiniCPM3-4B").mla) == (96, False)


def test_the_parts_of_an_omni_model_stand_below_its_thinker():
    config = {
        "architectures": ["Unheard"],
        "thinker_config": {
            "text_config": {"head_dim": 128},
            "vision_config": {"embed_dim": 1280, "hidden_size": 3584, "num_heads": 16},
        },
    }

    model = model_of_config(config, "x")

    assert (model.head_size, model.encoder.head_size) == (128, 80)


def test_a_configuration_of_something_else_means_no_model():
    assert model_of_config({"name": "left-pad"}, "x") is None


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_KEYS = st.sampled_from(
    [
        "architectures",
        "text_config",
        "vision_config",
        "head_dim",
        "hidden_size",
        "num_attention_heads",
        "kv_lora_rank",
    ]
)


@settings(max_examples=200)
@given(st.dictionaries(_KEYS, _JSON))
def test_any_configuration_is_read_without_an_error(config):
    model_of_config(config, "x")
