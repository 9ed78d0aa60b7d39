"""What people type after a mention or a command: a question in words, or something to diagnose."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.asking.requests import BackendsRequest, CheckRequest, HelpRequest, may_ask, read_request

QWEN = BackendsRequest("0.12.0", "H100", "Qwen3-VL")


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        ("backends Qwen3-VL 0.12.0 H100", QWEN),
        ("BACKENDS  H100   Qwen3-VL\t0.12.0 ", QWEN),
        (": backends Qwen3-VL v0.12.0 H100", QWEN),
        ("backends for Qwen3-VL on vLLM 0.12.0 with an H100, please?", QWEN),
        ("`backends Qwen3-VL vllm==0.12.0 H100`", QWEN),
        ("backends Qwen3-VL --vllm-version 0.12.0 --gpu H100", QWEN),
        ("backends Qwen3-VL —vllm-version=0.12.0 —gpu H100 --json", QWEN),
        ("backends", BackendsRequest()),
        ("backends?", BackendsRequest()),
        ("backend 0.12", BackendsRequest("0.12")),
        ("backends 0.11.2 RTX 4090", BackendsRequest("0.11.2", "RTX 4090")),
        ("backends 0.11.2 2x NVIDIA H100 80GB HBM3", BackendsRequest("0.11.2", "2x NVIDIA H100 80GB HBM3")),
        ("backends 9.0 0.12.0", BackendsRequest("0.12.0", "9.0")),
        ("backends sm_90 0.12.0", BackendsRequest("0.12.0", "sm_90")),
        ("backends cpu 0.33.0", BackendsRequest("0.33.0", "cpu")),
        ('backends --gpu "RTX 6000 Ada" 0.33.0', BackendsRequest("0.33.0", "RTX 6000 Ada")),
        ("backends Qwen3 VL 8B 0.12.0", BackendsRequest("0.12.0", None, "Qwen3 VL 8B")),
        ("backends acme/Wonder-9B 0.12.0", BackendsRequest("0.12.0", None, "acme/Wonder-9B")),
        (
            "backends 0.12.0 --kv-cache-dtype fp8 --block-size 32 --lang zh",
            BackendsRequest("0.12.0", kv_cache_dtype="fp8", block_size=32, language="zh"),
        ),
        ("help", HelpRequest()),
        ("Help!", HelpRequest()),
        ("help backends", HelpRequest()),
        ("check", CheckRequest("")),
        ("check vllm serve Qwen/Qwen3-VL-8B-Instruct", CheckRequest("vllm serve Qwen/Qwen3-VL-8B-Instruct")),
        ("check `vllm serve m --enforce-eager`", CheckRequest("vllm serve m --enforce-eager")),
        ("check A=1 vllm serve m", CheckRequest("A=1 vllm serve m")),
        (
            "check --vllm-version 0.12.0 --gpu H100 -- vllm serve m",
            CheckRequest("vllm serve m", "0.12.0", "H100"),
        ),
        ("check --gpu H100 vllm serve m", CheckRequest("vllm serve m", None, "H100")),
        ("check\n```sh\nexport A=1\nvllm serve m\n```", CheckRequest("export A=1\nvllm serve m")),
        ("check vllm serve m \\\n  --port 1 \\\n  -tp 2", CheckRequest("vllm serve m \\\n  --port 1 \\\n  -tp 2")),
        (
            "check docker run --gpus all vllm/vllm-openai:v0.11.2 --model m",
            CheckRequest("docker run --gpus all vllm/vllm-openai:v0.11.2 --model m"),
        ),
        (
            "check python3 -m vllm.entrypoints.openai.api_server --model m",
            CheckRequest("python3 -m vllm.entrypoints.openai.api_server --model m"),
        ),
        (
            "check\nservices:\n  a:\n    image: vllm/vllm-openai:v0.11.2",
            CheckRequest("services:\n  a:\n    image: vllm/vllm-openai:v0.11.2"),
        ),
    ],
)  # fmt: skip
def test_a_question_is_read_as_it_is_meant(text, request_):
    assert read_request(text) == request_
    assert may_ask(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "help me, my server does not start",
        "help\nTraceback (most recent call last):",
        "helper.py:12 failed",
        "backends: FLASH_ATTN, XFORMERS",
        "Backends available: FLASH_ATTN",
        "backends_list = []",
        "backends are failing on H100 with 0.11.2",
        "backends broken",
        "backends Qwen3-VL 0.12.0 H100\nRuntimeError: Qwen3-VL does not support FLASHINFER backend now.",
        "backends 0.11.2 0.12.0 H100",
        "backends 0.12.0 H100 and T4 A100",
        "check this please",
        "check: EngineCore failed to start.",
        "check_health failed",
        "checkpoint shards: 100%",
        "check vllm serve fails with CUDA out of memory",
        "check vllm serve m\nTraceback (most recent call last):\n  File 'x'",
        "check vllm serve m\n(EngineCore pid=1) ERROR 11-28 07:55:57 [core.py:743] boom",
        "check ls -la",
        "check docker ps",
        "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now.",
    ],
)
def test_anything_else_is_left_to_be_diagnosed(text):
    assert read_request(text) is None


ORDERS = list(itertools.permutations(["Qwen/Qwen3-VL-8B-Instruct", "0.12.0", "RTX 4090"]))


@pytest.mark.parametrize("order", ORDERS)
def test_the_order_of_the_words_does_not_matter(order):
    assert read_request(f"backends {' '.join(order)}") == BackendsRequest(
        "0.12.0", "RTX 4090", "Qwen/Qwen3-VL-8B-Instruct"
    )


WORDS = st.sampled_from(["backends", "check", "help", "check vllm serve m", "backends Qwen3-VL 0.12.0"])


@settings(max_examples=300)
@given(st.text() | st.tuples(WORDS, st.text()).map(" ".join) | st.tuples(WORDS, st.text()).map("\n".join))
def test_no_text_breaks_the_reading_of_words_and_no_question_is_missed(text):
    assert read_request(text) is None or may_ask(text)


LINES = st.sampled_from(["Traceback (most recent call last):", "RuntimeError: no", "INFO 11-28 x"])


@settings(max_examples=200)
@given(WORDS, st.lists(LINES, min_size=1))
def test_a_log_that_begins_with_the_words_is_a_paste(words, lines):
    assert read_request("\n".join([words, *lines])) is None


@given(st.text(alphabet="abc /-=\\\n`'\"", max_size=200))
def test_what_is_checked_is_no_longer_than_what_was_said(text):
    asked = read_request(f"check {text}")

    assert asked is None or len(asked.launch) <= len(text)


def test_a_text_of_any_size_is_read_at_once():
    for text in (
        "backends " + "x " * 500_000,
        "check " + "A=1 " * 200_000,
        "check " + "\\\n" * 500_000,
        "```" * 99_999,
    ):
        assert read_request(text) is None
