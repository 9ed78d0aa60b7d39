"""Every change that is offered is taken by the release, mends what it is for, and can be copied into a shell."""

import re
import shlex

import pytest

from rules.engine.preflight import Known, examine, read_launch
from tests.rules.engine.preflight.asking import BLOCKS, answers, check

QWEN = {"num_attention_heads": 28, "num_key_value_heads": 4, "max_position_embeddings": 32768}
BAD = [
    ("vllm serve m --prot 80", "0.20.2", {}, {}),
    ("vllm serve m --atention-backend FLASH_ATTN -tp 2", "0.20.2", {}, {}),
    ("vllm serve m --guided_decoding_backend xgrammar", "0.20.2", {}, {}),
    ("vllm serve m --attention-backend FLASHINFER", "0.11.2", {}, {}),
    ("vllm serve m --dtype bfloat61 --enforce-eager", "0.20.2", {}, {}),
    ("vllm serve --enforce-eager m --dtype bfloat61", "0.20.2", {}, {}),
    ("vllm serve m --enforce-eager=true", "0.20.2", {}, {}),
    ("vllm serve m --enforce-eager=false", "0.20.2", {}, {}),
    ("vllm serve m --speculative-config {method: ngram, num_speculative_tokens: 3}", "0.20.2", {}, {}),
    ("vllm serve m", "0.11.2", {"VLLM_ATTENTION_BACKEND": ""}, {}),
    ("vllm serve m", "0.11.2", {"VLLM_ATTENTION_BACKEND": "flash_attn"}, {}),
    ("vllm serve m", "0.32.0", {"VLLM_ATTENTION_BACKEND": "FLASHINFER"}, {}),
    ("vllm serve m --fail-on-environ-validation", "0.32.0", {"VLLM_USE_V1": "1"}, {}),
    ("vllm serve m", "0.10.0", {"VLLM_USE_V1": "true"}, {}),
    ("vllm serve m", "0.20.2", {"VLLM_LOGING_LEVEL": "DEBUG"}, {}),
    ("vllm serve m", "0.20.2", {"VLLM_PORT": "tcp://1.2.3.4:5"}, {}),
    (
        "vllm serve Qwen/Qwen3-VL-8B-Instruct",
        "0.11.2",
        {"VLLM_ATTENTION_BACKEND": "FLASHINFER"},
        {"gpu": "H100"},
    ),
    (
        "vllm serve Qwen/Qwen3-VL-8B-Instruct",
        "0.12.0",
        {"VLLM_ATTENTION_BACKEND": "FLASHINFER"},
        {"gpu": "H100"},
    ),
    ("vllm serve m --mm-encoder-attn-backend FLEX_ATTENTION", "0.20.2", {}, {"gpu": "H100"}),
    ("vllm serve m --attention-backend FLASH_ATTN", "0.20.2", {}, {"gpu": "T4"}),
    ("vllm serve m -tp 8", "0.20.2", {}, {"model_config": QWEN}),
    ("vllm serve m --tensor-parallel-size 7", "0.20.2", {}, {"model_config": QWEN}),
    ("vllm serve m --max-model-len 131072", "0.20.2", {}, {"model_config": QWEN}),
    ("vllm serve m --enable-log-outputs", "0.20.2", {}, {}),
    ("vllm serve m --enable-lora --max-loras 4 --max-cpu-loras 2", "0.20.2", {}, {}),
    ("docker run --rm -e VLLM_USE_V1=true vllm/vllm-openai:v0.10.0 --model m", None, {}, {}),
    ("docker run vllm/vllm-openai:v0.20.2 --model m --prot 80 --api-key k", None, {}, {}),
]


def _blocking(found):
    return sum(finding.severity is BLOCKS for finding in found.findings)


def repeated(commands, env):
    """Return the launch that the commands make of an environment, as a shell would."""
    env = dict(env)
    for line in commands[:-1]:
        verb, _, rest = line.partition(" ")
        if verb == "unset":
            env.pop(rest)
        elif verb == "export":
            name, _, value = shlex.split(rest)[0].partition("=")
            env[name] = value
    return read_launch(shlex.split(commands[-1].replace(" 2>&1 | tee vllm.log", "")), env)


@pytest.mark.parametrize(("command", "release", "env", "known"), BAD)
def test_each_change_mends_what_it_is_offered_for(command, release, env, known):
    found = check(command, release, env=env, **known)
    assert found.findings

    for finding in found.findings:
        changes = [fix for fix in finding.fixes if fix.change is not None]
        assert changes, finding
        for fix in changes:
            launch = repeated(fix.commands, env)
            again = examine(launch, Known(vllm_version=release, **known), answers())
            assert finding.text not in [one.text for one in again.findings], (fix.commands, again.findings)
            assert again.ok or not found.ok
            assert _blocking(again) <= _blocking(found) - (finding.severity is BLOCKS), fix.commands


@pytest.mark.parametrize(("command", "release", "env", "known"), BAD)
def test_commands_and_proofs_are_whole_lines_of_plain_shell(command, release, env, known):
    for finding in check(command, release, env=env, **known).findings:
        for fix in finding.fixes:
            proofs = [proof.command for proof in fix.verify]
            for line in (*fix.commands, *proofs):
                assert line.isascii()
                assert shlex.split(line)
                assert not re.search(r"\{[a-z_]+\}|\?\}", line.replace(":?", ""))
            assert fix.relaunchable is False or fix.change is not None
