"""Flags that a release does not take, and values that a flag does not."""

import pytest

from tests.rules.engine.preflight.asking import BLOCKS, check, rules, texts


def test_a_misspelt_flag_is_named_with_the_one_that_is_meant():
    found = check("vllm serve m --atention-backend FLASH_ATTN")

    assert not found.ok
    assert rules(found) == ["unknown-flag"]
    assert "--attention-backend is" in texts(found)
    first = found.findings[0].fixes[0]
    assert first.change.flags_set == {"--attention-backend": "FLASH_ATTN"}
    assert first.commands == ("vllm serve m --attention-backend FLASH_ATTN 2>&1 | tee vllm.log",)


def test_a_flag_that_is_gone_is_named_with_its_successor():
    found = check("vllm serve m --guided-decoding-backend xgrammar", "0.13.0")

    assert "vLLM 0.11.2 was the last to take it" in texts(found)
    assert found.findings[0].fixes[0].change.flags_set == {"--structured-outputs-config.backend": "xgrammar"}
    assert check("vllm serve m --guided-decoding-backend xgrammar", "0.11.2").ok


def test_a_flag_that_came_later_is_named_with_the_release_to_upgrade_to():
    found = check("vllm serve m --attention-backend FLASH_ATTN", "0.11.2")

    assert rules(found) == ["newer-flag-attention-backend"]
    kinds = {fix.kind.value for fix in found.findings[0].fixes}
    assert {"set-env", "upgrade"} <= kinds
    assert found.findings[0].fixes[0].change.env_set == {"VLLM_ATTENTION_BACKEND": "FLASH_ATTN"}


@pytest.mark.parametrize("release", ["0.9.2", "0.10.0"])
def test_rules_of_the_catalogue_speak_where_they_know_the_flag(release):
    found = check("vllm serve m --enable-reasoning --reasoning-parser deepseek_r1", release)

    assert rules(found) == ([] if release == "0.9.2" else ["removed-flag-enable-reasoning"])


@pytest.mark.parametrize(
    ("command", "release", "rule", "said"),
    [
        ("vllm serve m --max-num 3", "0.20.2", "preflight-ambiguous-flag", "--max-num-seqs"),
        ("vllm serve m --port", "0.20.2", "flag-value-missing", "--port needs a value"),
        ("vllm serve m --enforce-eager true", "0.20.2", "unknown-flag", "--enforce-eager takes no value"),
        ("vllm serve m --enforce-eager=true", "0.20.2", "preflight-switch-with-value", "takes no value"),
        ("vllm serve m n", "0.20.2", "unknown-flag", "`n` stands alone"),
        ("vllm serve m --dtype float8", "0.20.2", "flag-choice-invalid", "bfloat16"),
        ("vllm serve m --kv-cache-dtype int4", "0.11.2", "flag-choice-invalid", "fp8_e4m3"),
        ("vllm serve m --block-size 17", "0.11.2", "flag-choice-invalid", "128"),
        ("vllm serve m --port eighty", "0.20.2", "flag-choice-invalid", "whole number"),
        ("vllm serve m --gpu-memory-utilization high", "0.20.2", "flag-choice-invalid", "takes a number"),
        ("vllm serve m --max-model-len many", "0.20.2", "flag-choice-invalid", "32k"),
        ("vllm serve m --max-model-len 32k", "0.8.3", "flag-choice-invalid", "whole number"),
        ("vllm serve m --max-model-len 1.5K", "0.20.2", "flag-choice-invalid", "32k"),
        ("vllm serve m --gpu-memory-utilization 2", "0.6.3", "preflight-value-out-of-range", "<=1"),
        ("vllm serve m --gpu-memory-utilization 0", "0.32.0", "preflight-value-out-of-range", ">0"),
        ("vllm serve m --max-num-seqs 0", "0.32.0", "preflight-value-out-of-range", ">=1"),
        ("vllm serve m -tp 0", "0.9.2", "preflight-value-out-of-range", ">=1"),
        ("vllm serve m --port 99999", "0.32.0", "preflight-value-out-of-range", "65535"),
        ("vllm serve m --stream-interval 0", "0.32.0", "preflight-value-out-of-range", ">=1"),
        ("vllm serve m --compilation-config.nonsense 1", "0.32.0", "preflight-unknown-key", "has no key"),
        (
            "vllm serve m --compilation-config '{\"nonsense\": 1}'",
            "0.32.0",
            "preflight-unknown-key",
            "nonsense",
        ),
        ("vllm serve m --reasoning-parser nope", "0.11.2", "parser-name-unknown", "deepseek_r1"),
        (
            "vllm serve m --reasoning-parser deepsek_r1",
            "0.9.2",
            "parser-name-unknown",
            "`deepseek_r1` is meant",
        ),
        (
            "vllm serve m --enable-auto-tool-choice --tool-call-parser nope",
            "0.32.0",
            "parser-name-unknown",
            "brings nothing called `nope`",
        ),
        ("vllm serve m --quantization int3", "0.32.0", "preflight-name-unknown", "awq"),
        ("vllm serve m --load-format nope", "0.32.0", "preflight-name-unknown", "safetensors"),
    ],
)
def test_a_value_that_stops_the_start_is_found(command, release, rule, said):
    found = check(command, release)

    assert rules(found) == [rule]
    assert found.findings[0].severity is BLOCKS
    assert said in texts(found)


@pytest.mark.parametrize(
    ("command", "release"),
    [
        ("vllm serve m --max-model-len 32k", "0.20.2"),
        ("vllm serve m --max-model-len 32K --max-num-batched-tokens 1.5k", "0.20.2"),
        ("vllm serve m --max-model-len auto", "0.20.2"),
        ("vllm serve m --max-model-len -1", "0.20.2"),
        ("vllm serve m --gpu-memory-utilization 1", "0.32.0"),
        ("vllm serve m --gpu-memory-utilization .9", "0.6.3"),
        ("vllm serve m --block-size 17", "0.32.0"),
        ("vllm serve m --attention-backend flash_attn", "0.32.0"),
        ("vllm serve m --attention-backend auto", "0.18.1"),
        ("vllm serve m --quantization AWQ", "0.32.0"),
        (
            "vllm serve m --tool-call-parser mine --tool-parser-plugin p.py --enable-auto-tool-choice",
            "0.20.2",
        ),
        ("vllm serve m --reasoning-parser mine --reasoning-parser-plugin p.py", "0.20.2"),
        # the name is looked up only where tools are on
        ("vllm serve m --tool-call-parser nope", "0.20.2"),
        ("vllm serve m --compilation-config.nonsense 1", "0.11.2"),
        ("vllm serve m --max-logprobs -1", "0.20.2"),
    ],
)
def test_a_value_that_the_release_takes_is_no_fault(command, release):
    assert rules(check(command, release)) == []


def test_the_nearest_choice_is_offered_first():
    fixes = check("vllm serve m --dtype bfloat61").findings[0].fixes

    assert fixes[0].change.flags_set == {"--dtype": "bfloat16"}
    assert [fix.id for fix in fixes] == ["right-value", "drop-flag"]


def test_many_faults_of_one_kind_are_cut():
    words = " ".join(f"--no-such-flag-{number}" for number in range(200))
    env = {f"VLLM_NO_SUCH_{number}": "1" for number in range(200)}

    assert len(check(f"vllm serve m {words}", None).findings) == 12
    assert len(check("vllm serve m", env=env).findings) == 12
