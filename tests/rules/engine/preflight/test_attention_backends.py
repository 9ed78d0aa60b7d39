"""Backends held against the GPU, the model, the KV cache and the vision encoder."""

import pytest

from tests.rules.engine.preflight.asking import check, rules, texts

VARIABLE = "VLLM_ATTENTION_BACKEND"
LLAMA = {
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "hidden_size": 4096,
    "architectures": ["LlamaForCausalLM"],
}
ODD_HEAD = {"num_attention_heads": 2, "hidden_size": 160, "architectures": ["LlamaForCausalLM"]}
DEEPSEEK = {"num_attention_heads": 128, "kv_lora_rank": 512, "qk_rope_head_dim": 64, "hidden_size": 7168}
QWEN3_VL = {
    "model_type": "qwen3_vl",
    "architectures": ["Qwen3VLForConditionalGeneration"],
    "vision_config": {},
}
PUBLISHED = "Qwen/Qwen3-VL-8B-Instruct"


@pytest.mark.parametrize(
    ("command", "known", "rule"),
    [
        ("vllm serve m --attention-backend NONSENSE", {}, "backend-name-unknown"),
        ("vllm serve m --attention-backend XFORMERS", {}, "backend-name-unknown"),
        ("vllm serve m --attention-config.backend NONSENSE", {}, "backend-name-unknown"),
        ("vllm serve m --attention-backend FLASH_ATTN", {"gpu": "T4"}, "flash-attn-capability-refused"),
        (
            "vllm serve m --attention-backend FLASHMLA",
            {"gpu": "H100", "model_config": LLAMA},
            "preflight-backend-refused",
        ),
        (
            "vllm serve m --attention-backend FLASH_ATTN",
            {"gpu": "H100", "model_config": DEEPSEEK},
            "mla-refused",
        ),
        (
            "vllm serve m --attention-backend FLASHINFER",
            {"gpu": "H100", "model_config": ODD_HEAD},
            "head-size-refused",
        ),
        (
            "vllm serve m --attention-backend FLEX_ATTENTION --kv-cache-dtype fp8",
            {"gpu": "H100"},
            "kv-dtype-refused",
        ),
        ("vllm serve m --attention-backend TORCH_SDPA", {"gpu": "H100"}, None),
        ("vllm serve m --dtype bfloat16", {"gpu": "V100"}, "bfloat16-on-old-gpu"),
        (
            "vllm serve m --attention-backend FLASH_ATTN --attention-config.backend FLASH_ATTN",
            {},
            "preflight-backend-twice",
        ),
    ],
)
def test_a_backend_that_does_not_run_here_stops_the_start(command, known, rule):
    found = check(command, "0.20.2", **known)

    assert len(found.findings) == 1
    assert not found.ok
    assert rule is None or rules(found) == [rule]


@pytest.mark.parametrize(
    ("command", "release", "known"),
    [
        ("vllm serve m --attention-backend FLASH_ATTN", "0.20.2", {}),
        ("vllm serve m --attention-backend FLASH_ATTN", "0.20.2", {"gpu": "H100", "model_config": LLAMA}),
        ("vllm serve m --attention-backend TRITON_ATTN", "0.20.2", {"gpu": "T4"}),
        ("vllm serve m --attention-backend FLASHMLA", "0.20.2", {"gpu": "H100", "model_config": DEEPSEEK}),
        # on a CPU another backend takes its place
        ("vllm serve m --attention-backend FLASHINFER", "0.32.0", {"gpu": "cpu"}),
        ("vllm serve m --dtype bfloat16", "0.20.2", {"gpu": "A100"}),
        ("vllm serve m --dtype float16", "0.20.2", {"gpu": "T4"}),
    ],
)
def test_a_backend_that_runs_is_no_fault(command, release, known):
    assert rules(check(command, release, **known)) == []


@pytest.mark.parametrize("release", ["0.11.0", "0.11.2", "0.12.0"])
@pytest.mark.parametrize("known", [{}, {"gpu": "H100"}, {"gpu": "cpu"}])
def test_the_seed_is_seen_before_it_happens(release, known):
    found = check(f"vllm serve {PUBLISHED}", release, env={VARIABLE: "FLASHINFER"}, **known)

    assert rules(found) == ["vit-backend-rejected"]
    assert not found.ok
    assert ("unless the package flash-attn" in texts(found)) is (release != "0.12.0")


def test_the_encoder_is_known_by_the_configuration_of_a_folder():
    env = {VARIABLE: "FLASHINFER"}

    assert not check("vllm serve /models/mine", "0.11.2", env=env, model_config=QWEN3_VL).ok
    assert check("vllm serve /models/mine", "0.11.2", env=env).ok
    assert check("vllm serve /models/mine", "0.13.0", env=env, model_config=QWEN3_VL).ok


@pytest.mark.parametrize("backend", ["FLASH_ATTN", "TORCH_SDPA", "XFORMERS"])
def test_backends_that_the_encoder_takes_are_no_fault(backend):
    assert check(f"vllm serve {PUBLISHED}", "0.11.2", env={VARIABLE: backend}).findings == ()


def test_the_flag_of_the_encoder_wins_over_the_variable_and_is_checked_itself():
    command = f"vllm serve {PUBLISHED} --mm-encoder-attn-backend"
    env = {VARIABLE: "FLASHINFER"}

    assert check(f"{command} FLASH_ATTN", "0.11.2", env=env).findings == ()
    assert rules(check(f"{command} FLASHINFER", "0.11.2")) == ["vit-backend-rejected"]
    assert rules(check(f"{command} FLASHINFER", "0.13.0")) == ["vit-backend-not-in-list"]
    assert rules(check(f"{command} FLASHINFER", "0.32.0", gpu="cpu")) == ["vit-backend-not-in-list"]
    assert check(f"{command} FLASHINFER", "0.32.0", gpu="H100").findings == ()
    assert rules(check(f"{command} NONSENSE", "0.32.0")) == ["backend-name-unknown"]


def test_what_depends_on_an_unknown_gpu_is_said_to_be_unchecked():
    found = check("vllm serve m --attention-backend FLASH_ATTN")

    assert any("--gpu" in remark.text for remark in found.remarks)
    assert not any("--gpu" in remark.text for remark in check("vllm serve m").remarks)
