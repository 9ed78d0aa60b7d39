"""Tokens, keys, names and addresses stay on the host, wherever they stand: launch, log, answer, refusal."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.hosts.helper.launch.spec import Spec
from adapters.hosts.helper.redaction import MASK, Masker
from tests.hosts.helper.gpu_host import BACKEND, MODEL

KEY = "k3y-of-the-server-9f8e7d"
HF = "hf_" + "s3cret" * 5
PLAIN = Masker([], frozenset())


def everything(host) -> str:
    """All that a bot can get out of a host, as one text."""
    replies = [host.ask("facts"), host.ask("snapshot", server=host.name), host.preflight(), host.status()]
    replies += [host.probe(kind) for kind in ("health", "models", "text", "image")]
    return json.dumps(replies)


def test_of_a_server_with_keys_in_its_environment_and_on_its_command_line(host):
    host.list_server(
        f"--api-key={KEY}",
        "--standin-faults=leaks",
        env={"HF_TOKEN": HF, "DATABASE": "postgres://bob:hunter22@db/x", "VLLM_API_KEY": "unused-but-secret"},
    )
    host.serve()

    text = everything(host)

    assert host.probe("text")["status"] == 200
    for secret in (KEY, HF, "hunter22", "unused-but-secret", "xxxxxx"):
        assert secret not in text
    assert MASK in text


def test_names_of_all_variables_are_seen_and_values_only_of_those_that_say_nothing(host):
    host.list_server(
        env={"HF_TOKEN": HF, "NCCL_DEBUG": "INFO", "CUDA_VISIBLE_DEVICES": "0,1", "SITE": "berlin-3"}
    )

    env = host.snapshot_env()

    assert env["NCCL_DEBUG"] == "INFO"
    assert env["CUDA_VISIBLE_DEVICES"] == "0,1"
    assert env["HF_TOKEN"] == env["SITE"] == env["HOME"] == MASK


def test_the_hash_of_a_launch_tells_secrets_apart_without_showing_them(host):
    first = host.preflight()["before"]["spec_hash"]
    host.list_server(env={"HF_TOKEN": "hf_" + "other" * 7})

    assert host.preflight()["before"]["spec_hash"] != first


def test_a_server_that_asks_for_a_key_is_asked_with_the_key_that_it_runs_with(host):
    host.list_server(env={"VLLM_API_KEY": KEY})
    host.serve()
    host.list_server(env={"VLLM_API_KEY": "the owner has written another"})

    assert host.probe("models")["status"] == 200


def test_a_state_folder_is_closed_to_others(host):
    host.list_server(env={BACKEND: "FLASH_ATTN", "HF_TOKEN": HF})
    host.start()

    folder = host.state / host.name

    assert oct(folder.stat().st_mode)[-3:] == "700"
    for path in folder.rglob("*"):
        if path.is_file() and HF in path.read_text(errors="replace"):
            assert oct(path.stat().st_mode)[-3:] == "600", path


SECRETS = {
    "a hub token": ("hf_" + "a1B2" * 6, "token hf_" + "a1B2" * 6),
    "a bearer": ("abcdefghijkl", "Authorization: Bearer abcdefghijkl"),
    "an assignment": ("s3cr3tvalue", "api_key='s3cr3tvalue',"),
    "a variable": ("s3cr3tvalue", "export AWS_SECRET_ACCESS_KEY=s3cr3tvalue"),
    "JSON": ("s3cr3tvalue", '{"hf_token": "s3cr3tvalue"}'),
    "a login": ("hunter22", "https://bob:hunter22@hub.example/x"),
    "a flag": ("s3cr3tvalue", "vllm serve m --api-key s3cr3tvalue"),
    "a home": ("alice", "/home/alice/models/qwen"),
    "a mail address": ("alice", "sent to alice@example.com"),
    "an address": ("10.1.2.3", "distributed_init_method=tcp://10.1.2.3:4711"),
    "an address after an equals sign": ("10.1.2.3", "master_addr=10.1.2.3"),
    "a long address": ("2001:db8", "listening on [2001:db8::1f:2]:80"),
    "a private key": ("MIIEvQ", "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN\n-----END PRIVATE KEY-----"),
    "the middle of a private key": ("QUJD" * 16, "QUJD" * 16),
    "a chat token": ("xoxb-", "xoxb-" + "1234567890-abcdefghij"),
    "a token of three parts": ("eyJhbGciOi", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0xx.c2lnbmF0dXJlMTIz"),
}
HARMLESS = [
    "INFO 12-01 11:42:39 [core.py:93] Initializing a V1 LLM engine (v0.11.2)",
    "vLLM is using nccl==2.27.5",
    "driver version 12.8.4.1 found",
    "tokenizer='Qwen/Qwen3-VL-8B-Instruct', tokenizer_mode=auto, max_num_batched_tokens=8192",
    "Starting vLLM API server 0 on http://0.0.0.0:8000 and 127.0.0.1:8000",
    "Loading safetensors checkpoint shards:  25% Completed | 1/4 [00:01<00:03,  1.02s/it]",
    "eos_token_id=151645 pad_token='<|endoftext|>' api_key=None hf_token: None",
    "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now.",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
    'File "/opt/venv/lib/python3.12/site-packages/vllm/v1/engine/core.py", line 833, in run_engine_core',
]


@pytest.mark.parametrize("kind", SECRETS)
def test_it_is_masked_in_a_text(kind):
    secret, text = SECRETS[kind]

    assert secret not in PLAIN.text(text)


@pytest.mark.parametrize("line", HARMLESS)
def test_what_says_nothing_secret_stays_as_it_is(line):
    assert PLAIN.text(line) == line


@given(st.text(alphabet="abcXYZ019-_.", min_size=8, max_size=40), st.text(max_size=60), st.text(max_size=60))
def test_a_secret_of_the_launch_is_masked_in_whatever_stands_round_it(secret, before, after):
    masker = Masker([Spec(("vllm", "--api-key", secret), {"VLLM_API_KEY": secret})], frozenset())

    assert secret not in masker.text(before + secret + after).replace(MASK, "")
    assert secret not in masker.argv(("vllm", "--api-key", secret, f"--api-key={secret}"))


@given(st.text(max_size=400))
def test_masking_twice_is_masking_once(text):
    once = PLAIN.text(text)

    assert PLAIN.text(once) == once


def test_a_flood_is_masked_in_time_that_grows_with_its_length():
    flood = ("a=" * 20000) + ("1.1.1.1 " * 5000) + ("::" * 20000) + ("-----BEGIN PRIVATE KEY-----" * 2000)

    assert PLAIN.text(flood)


def test_the_model_keeps_its_name(host):
    assert MODEL in host.ask("snapshot", server=host.name)["launch"]["argv"]
