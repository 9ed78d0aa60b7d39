"""JSON that did not arrive whole, and the JSON that was meant."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.engine.preflight import Known, examine, read_launch
from rules.engine.preflight.checks.words.json_values import is_json, repaired
from tests.rules.engine.preflight.asking import answers, check, rules, texts

WANTED = {"method": "ngram", "num_speculative_tokens": 3}


@pytest.mark.parametrize(
    "value",
    [
        "{'method': 'ngram', 'num_speculative_tokens': 3}",
        "{method: ngram, num_speculative_tokens: 3}",
        '{"method": "ngram", num_speculative_tokens: 3}',
        '\'{"method": "ngram", "num_speculative_tokens": 3}\'',
        "{\u201cmethod\u201d: \u201cngram\u201d, \u201cnum_speculative_tokens\u201d: 3}",
    ],
)
def test_broken_json_is_found_and_the_right_one_offered(value):
    launch = read_launch(["vllm", "serve", "m", "--speculative-config", value, "--port", "80"])
    found = examine(launch, Known("0.20.2"), answers())

    assert rules(found) == ["flag-json-invalid"]
    fix = found.findings[0].fixes[0]
    assert json.loads(fix.change.flags_set["--speculative-config"]) == WANTED
    assert fix.commands[0].startswith("vllm serve m --port 80 --speculative-config '{")


def test_json_that_the_shell_split_is_one_fault_and_is_put_together():
    command = "vllm serve m --speculative-config {method: ngram, num_speculative_tokens: 3} --port 80"
    found = check(command)

    assert rules(found) == ["flag-json-invalid"]
    assert "arrives in several words" in texts(found)
    assert json.loads(found.findings[0].fixes[0].change.flags_set["--speculative-config"]) == WANTED
    assert " ngram, " not in found.findings[0].fixes[0].commands[0].split("--speculative-config")[0]


@pytest.mark.parametrize(
    "words",
    [
        '--speculative-config \'{"method": "ngram", "num_speculative_tokens": 3}\'',
        "--limit-mm-per-prompt '{\"image\": 2}'",
        "--limit-mm-per-prompt.image 2",
        "--hf-overrides a-function",
        "--kv-transfer-config null",
        "--speculative-config ''",
        '--lora-modules a=/x \'{"name": "b", "path": "/y"}\'',
        "--pt-load-map-location cpu",
        "--kv-transfer-config '{\"kv_buffer_size\": 80m}'",
        "--allowed-origins '[\"*\"]'",
    ],
)
def test_sound_values_of_json_flags_are_no_fault(words):
    assert rules(check(f"vllm serve m {words}")) == []


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5))
def test_json_is_never_called_broken(value):
    text = json.dumps({"key": value})

    assert is_json(text)
    assert json.loads(repaired(text) or "null") == {"key": value}


@given(st.text(max_size=60))
def test_whatever_is_repaired_is_json(text):
    found = repaired(text)

    assert found is None or json.loads(found) is not None


@pytest.mark.parametrize(
    ("words", "release", "is_sound"),
    [
        ("--limit-mm-per-prompt image=2", "0.10.0", True),
        ("--limit-mm-per-prompt image=2", "0.10.1", False),
        ("--compilation-config 3", "0.10.1", True),
        ("--compilation-config 3", "0.10.2", False),
        ("--speculative-config ngram", "0.20.2", False),
        ("--lora-modules /path/alone", "0.6.3", False),
        ("--attention-config.use_trtllm_attention maybe", "0.32.0", False),
        ("--attention-config.use_trtllm_attention true", "0.32.0", True),
    ],
)
def test_texts_that_were_taken_for_json_once_are_refused_since(words, release, is_sound):
    assert check(f"vllm serve m {words}", release).ok is is_sound
