"""No false alarm: launches as people write them, in every release that takes them."""

import pytest

from rules.engine.versions import select
from tests.rules.engine.preflight.asking import answers, check, rules

#: variables as real servers have them
ENV = {
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_LOGGING_LEVEL": "DEBUG",
    "VLLM_WORKER_MULTIPROC_METHOD": "spawn",
    "VLLM_HOST_IP": "10.0.0.1",
    "VLLM_CONFIGURE_LOGGING": "1",
    "CUDA_VISIBLE_DEVICES": "0,1,2,3",
    "HF_HUB_OFFLINE": "1",
    "NCCL_DEBUG": "INFO",
}
#: launch -> the releases that take it; none: all
SOUND = {
    "vllm serve meta-llama/Llama-3.1-8B-Instruct": None,
    "vllm serve org/m -tp 4 --max-model-len 32768 --gpu-memory-utilization 0.9 --port 8001 --host 0.0.0.0": None,
    "vllm serve org/m --enable-auto-tool-choice --tool-call-parser hermes --served-model-name a b": None,
    "vllm serve org/m -tp 2 -pp 2 --trust-remote-code --dtype bfloat16 --seed 0 --enforce-eager": None,
    "vllm serve org/m --tensor_parallel_size=2 --max_model_len=4096 --enforce_eager": None,
    "vllm serve org/m --quantization awq --kv-cache-dtype fp8 --load-format auto": None,
    "vllm serve org/m --enable-lora --lora-modules a=/x b=/y --max-lora-rank 16 --max-loras 2": None,
    "vllm serve org/m --api-key k --chat-template ./t.jinja --disable-log-stats": None,
    "vllm serve org/m --max-num-seqs 64 --max-num-batched-tokens 8192 --tokenizer-mode auto": None,
    "vllm serve org/m --allowed-origins '[\"*\"]' --uvicorn-log-level info --root-path /v": None,
    "vllm serve --port 8000 org/m": None,
    "vllm serve org/m --distributed-executor-backend ray --pipeline-parallel-size 2 --max-model 100": None,
    "vllm serve org/m --enable-prefix-caching --block-size 16": None,
    "vllm serve org/m --limit-mm-per-prompt image=2": "<0.10.1",
    "python -m vllm.entrypoints.openai.api_server --model org/m --enable-chunked-prefill --max-logprobs 5": None,
    "nohup env VLLM_A_PLUGIN= uv run vllm serve org/m --enable-chunked-prefill --tensor-par 2": None,
    "vllm serve org/m --swap-space 4 --disable-log-requests": "<0.17",
    "vllm serve org/m --hf-overrides '{\"a\": 1}' --generation-config auto": ">=0.6.6",
    "vllm serve org/m --no-enable-prefix-caching": ">=0.6.5",
    "vllm serve org/m --reasoning-parser deepseek_r1": ">=0.9.0",
    "vllm serve org/m --compilation-config '{\"level\": 3}' -O3": ">=0.8.0,<0.10.2",
    "vllm serve org/m --compilation-config.cudagraph_mode PIECEWISE": ">=0.10.1",
    'vllm serve org/m --speculative-config \'{"method": "ngram", "num_speculative_tokens": 3}\'': ">=0.8.2",
    "vllm serve org/m --max-model-len 32k --data-parallel-size 2 --enable-expert-parallel": ">=0.8.5",
    'vllm serve org/m --async-scheduling --kv-transfer-config \'{"kv_connector": "X"}\'': ">=0.10.0",
    "vllm serve org/m --attention-backend FLASH_ATTN --mm-encoder-attn-backend FLASH_ATTN": ">=0.13.0",
    "vllm serve org/m --limit-mm-per-prompt.image 2": ">=0.9.0",
    "vllm serve --model org/m --runner pooling --convert embed": ">=0.11.1",
}


@pytest.mark.parametrize("command", SOUND)
def test_a_sound_launch_is_never_stopped(command):
    env = {**ENV, "VLLM_A_PLUGIN": ""} if "A_PLUGIN" in command else ENV
    for version in select(SOUND[command], answers().releases.versions()):
        found = check(command, str(version), env=env, gpu="H100")
        assert found.ok, (str(version), rules(found))
        assert [rule for rule in rules(found) if rule != "preflight-variable-unknown"] == [], str(version)


@pytest.mark.parametrize("command", SOUND)
def test_a_launch_that_some_release_takes_is_not_stopped_while_the_release_is_unknown(command):
    assert check(command, None, env=ENV).ok


def test_every_flag_of_a_release_with_its_own_default_is_sound():
    for version in answers().releases.versions()[::6]:
        for flag in answers().releases.get(version).flags():
            if flag.type == "bool" or flag.default in {None, "None", ""} or flag.name == "--model":
                continue
            if flag.default.startswith(("[", "{")) or flag.nargs == "?":
                continue
            found = check(f"vllm serve org/m {flag.name} {flag.default}", str(version))
            assert found.ok, (str(version), flag.name, flag.default, rules(found))
