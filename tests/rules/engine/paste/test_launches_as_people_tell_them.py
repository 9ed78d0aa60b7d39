"""What `--command` may hold: a command, or only variables, flags or Python code of a launch."""

import pytest

from rules.engine.paste.evidence import NoteKind
from rules.engine.paste.fact_reading import read_facts
from rules.engine.paste.facts import Given
from rules.engine.paste.reading import read_paste


def _facts(command: str, paste: str = ""):
    return read_facts(read_paste(paste), Given(command=command))


@pytest.mark.parametrize(
    ("command", "env"),
    [
        ("VLLM_USE_V1=0 vllm serve org/m", {"VLLM_USE_V1": "0"}),
        ("export VLLM_ATTENTION_BACKEND=FLASHINFER; bash run.sh", {"VLLM_ATTENTION_BACKEND": "FLASHINFER"}),
        (
            "os.environ['VLLM_ATTENTION_BACKEND']='TRITON_ATTN' before LLM(...)",
            {"VLLM_ATTENTION_BACKEND": "TRITON_ATTN"},
        ),
        ("systemd unit, VLLM_USE_V1=1", {"VLLM_USE_V1": "1"}),
        ("docker run -e VLLM_USE_V1=1 vllm/vllm-openai:v0.9.0 --model org/m", {"VLLM_USE_V1": "1"}),
    ],
)
def test_variables_are_read_however_the_launch_is_told(command, env):
    facts, notes = _facts(command)

    assert dict(facts.env) == env
    assert notes == ()


@pytest.mark.parametrize(
    ("command", "flags"),
    [
        ("--kv-cache-dtype fp8", {"--kv-cache-dtype": "fp8"}),
        ("api_server --block_size 128 --enforce-eager", {"--block-size": "128", "--enforce-eager": ""}),
        ("--attention-backend FLASHINFER for text only", {"--attention-backend": "FLASHINFER"}),
    ],
)
def test_flags_are_read_without_the_program(command, flags):
    facts, _ = _facts(command)

    assert dict(facts.flags) == flags
    assert facts.argv == ()


def test_python_code_names_the_model():
    facts, _ = _facts("llm = LLM(model='org/m', tensor_parallel_size=2)")

    assert facts.model == "org/m"


def test_the_paste_wins_over_what_was_told():
    facts, _ = _facts("VLLM_USE_V1=0 with eager mode", "export VLLM_USE_V1=1")

    assert facts.env["VLLM_USE_V1"] == "1"


@pytest.mark.parametrize("command", ["docker", "the usual way", "TP2"])
def test_what_says_nothing_of_a_launch_is_noted_and_dropped(command):
    facts, notes = _facts(command)

    assert (facts.argv, dict(facts.env), dict(facts.flags)) == ((), {}, {})
    assert [(note.kind, note.phrase) for note in notes] == [(NoteKind.DROPPED_INPUT, "command-unreadable")]
