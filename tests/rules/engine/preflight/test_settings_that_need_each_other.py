"""Flags that need others, the model's place, and what a model's folder lacks."""

import pytest

from tests.rules.engine.preflight.asking import check, rules

PLAIN = {"num_attention_heads": 4, "architectures": ["LlamaForCausalLM"]}
QUANTIZED = {**PLAIN, "quantization_config": {"quant_method": "awq"}}
WHOLE = frozenset({"config.json", "model.safetensors"})


@pytest.mark.parametrize(
    ("command", "release", "rule"),
    [
        ("vllm serve m --enable-auto-tool-choice", "0.6.3", "tool-flags-missing"),
        ("vllm serve m --enable-auto-tool-choice", "0.32.0", "tool-flags-missing"),
        ("vllm serve m --enable-reasoning", "0.8.5", "preflight-needs-flag"),
        ("vllm serve m --enable-log-outputs", "0.11.2", "preflight-needs-flag"),
        ("vllm serve m --enable-eplb", "0.11.2", "preflight-needs-flag"),
        ("vllm serve m --enable-lora --max-loras 4 --max-cpu-loras 2", "0.11.2", "preflight-loras"),
        ("vllm serve --model m", "0.11.0", "preflight-model-by-flag"),
        ("vllm serve --port 80", "0.8.2", "preflight-no-model"),
    ],
)
def test_what_is_missing_beside_a_setting_stops_the_start(command, release, rule):
    found = check(command, release)

    assert rules(found) == [rule]
    assert not found.ok


@pytest.mark.parametrize(
    ("command", "release"),
    [
        ("vllm serve m --enable-auto-tool-choice --tool-call-parser hermes", "0.6.3"),
        ("vllm serve m --no-enable-auto-tool-choice", "0.32.0"),
        ("vllm serve m --enable-log-outputs --enable-log-requests", "0.11.2"),
        ("vllm serve m --enable-eplb --enable-expert-parallel", "0.11.2"),
        ("vllm serve m --max-loras 4 --max-cpu-loras 2", "0.11.2"),
        ("vllm serve m --enable-lora --max-loras 4", "0.11.2"),
        ("vllm serve --model m", "0.11.1"),
        ("vllm serve --port 80", "0.8.3"),
        ("docker run vllm/vllm-openai:v0.10.0 --model m", None),
        ("python -m vllm.entrypoints.openai.api_server --model m", "0.6.3"),
    ],
)
def test_whole_settings_are_no_fault(command, release):
    assert rules(check(command, release)) == []


@pytest.mark.parametrize(
    ("command", "files", "config", "rule"),
    [
        ("vllm serve ./m", frozenset({"README.md"}), None, "model-repository-invalid"),
        ("vllm serve ./m", frozenset({"config.json", "tokenizer.json"}), PLAIN, "weights-not-there"),
        ("vllm serve ./m --quantization awq", WHOLE, PLAIN, "preflight-not-quantized"),
    ],
)
def test_what_the_models_folder_lacks_stops_the_start(command, files, config, rule):
    assert rules(check(command, model_files=files, model_config=config)) == [rule]


@pytest.mark.parametrize(
    ("command", "files", "config"),
    [
        ("vllm serve ./m", WHOLE, PLAIN),
        ("vllm serve ./m", frozenset({"m.gguf"}), None),
        ("vllm serve ./m", frozenset({"params.json", "consolidated.safetensors"}), None),
        ("vllm serve ./m --load-format dummy", frozenset({"config.json"}), PLAIN),
        ("vllm serve ./m --quantization awq", WHOLE, QUANTIZED),
        ("vllm serve ./m --quantization awq", WHOLE | {"quant_config.json"}, PLAIN),
        ("vllm serve ./m --quantization fp8", WHOLE, PLAIN),
        ("vllm serve ./m --quantization awq", None, PLAIN),
    ],
)
def test_a_whole_folder_is_no_fault(command, files, config):
    assert rules(check(command, model_files=files, model_config=config)) == []
