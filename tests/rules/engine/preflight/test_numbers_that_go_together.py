"""Heads, GPUs, lengths and batches."""

import pytest

from tests.rules.engine.preflight.asking import check, rules

QWEN = {
    "num_attention_heads": 28,
    "num_key_value_heads": 4,
    "hidden_size": 3584,
    "max_position_embeddings": 32768,
    "architectures": ["Qwen2ForCausalLM"],
}
YARN = {
    **QWEN,
    "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768},
}
NESTED = {"text_config": QWEN, "vision_config": {"hidden_size": 64}, "model_type": "some_vl"}


@pytest.mark.parametrize(
    ("command", "config", "rule", "change"),
    [
        ("vllm serve m -tp 8", QWEN, "heads-not-divisible", {"--tensor-parallel-size": "4"}),
        ("vllm serve m -tp 3", NESTED, "heads-not-divisible", {"--tensor-parallel-size": "2"}),
        # 7 divides the 28 heads and goes with none of the 4 key-value heads
        ("vllm serve m -tp 7", QWEN, "preflight-kv-heads", {"--tensor-parallel-size": "4"}),
        ("vllm serve m --max-model-len 131072", QWEN, "context-beyond-model", {"--max-model-len": "32768"}),
        ("vllm serve m --max-model-len 40k", NESTED, "context-beyond-model", {"--max-model-len": "32768"}),
    ],
)
def test_a_size_that_does_not_suit_the_model_stops_the_start(command, config, rule, change):
    found = check(command, model_config=config)

    assert rules(found) == [rule]
    assert not found.ok
    assert found.findings[0].fixes[0].change.flags_set == change


@pytest.mark.parametrize(
    ("command", "config", "env"),
    [
        ("vllm serve m -tp 4", QWEN, {}),
        ("vllm serve m -tp 28", QWEN, {}),
        ("vllm serve m --max-model-len 131072", YARN, {}),
        ("vllm serve m --max-model-len 131072", QWEN, {"VLLM_ALLOW_LONG_MAX_MODEL_LEN": "1"}),
        ("vllm serve m --max-model-len 131072 --hf-overrides '{\"a\": 1}'", QWEN, {}),
        ("vllm serve m --max-model-len -1", QWEN, {}),
        ("vllm serve m --max-model-len 999999 -tp 3", None, {}),
        ("vllm serve m --max-model-len 999999 -tp 3", {}, {}),
        ("vllm serve m --max-num-batched-tokens 64 --max-model-len 128", None, {}),
    ],
)
def test_sizes_that_suit_or_cannot_be_judged_are_no_fault(command, config, env):
    assert rules(check(command, model_config=config, env=env)) == []


def test_a_batch_must_hold_a_context_without_chunks_and_a_token_of_each_sequence():
    command = "vllm serve m --max-num-batched-tokens 64 --max-model-len 128 --no-enable-chunked-prefill"

    assert rules(check(command)) == ["batch-below-context"]
    assert rules(check("vllm serve m --max-num-batched-tokens 64 --max-num-seqs 128")) == [
        "batch-below-context"
    ]


def test_gpus_are_counted_where_the_launch_stays_on_one_node():
    env = {"CUDA_VISIBLE_DEVICES": "0,1"}
    command = "vllm serve m -tp 2 -pp 2"

    assert rules(check(command, "0.20.2", gpu="H100", env=env)) == ["more-ranks-than-gpus"]
    assert rules(check(f"{command} --distributed-executor-backend ray", gpu="H100", env=env)) == []
    assert rules(check(f"{command} --nnodes 2 --node-rank 0", gpu="H100", env=env)) == []
    assert rules(check("vllm serve m -tp 2", gpu="H100", env=env)) == []
    assert rules(check(command, "0.20.2", env=env)) == []
    # these look for a Ray cluster instead
    assert rules(check(command, "0.9.2", gpu="H100", env=env)) == []


@pytest.mark.parametrize("value", ["", "-1"])
def test_a_variable_that_hides_all_gpus_stops_the_start_on_a_machine_with_gpus(value):
    env = {"CUDA_VISIBLE_DEVICES": value}

    assert rules(check("vllm serve m", gpu="H100", env=env)) == ["preflight-no-gpu-visible"]
    assert rules(check("vllm serve m", gpu="cpu", env=env)) == []
    assert rules(check("vllm serve m", env=env)) == []
