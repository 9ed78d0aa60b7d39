"""Variables that a release ignores, refuses, or fails on."""

import pytest

from rules.engine.preflight import Severity
from tests.rules.engine.preflight.asking import BLOCKS, check, rules, texts

BACKEND = "VLLM_ATTENTION_BACKEND"


@pytest.mark.parametrize(
    ("release", "rule"),
    [
        ("0.15.0", "backend-variable-ignored"),
        ("0.17.0", "backend-variable-unknown"),
        ("0.33.0", "backend-variable-unknown"),
    ],
)
def test_a_variable_that_nothing_reads_has_no_effect_and_its_flag_is_offered(release, rule):
    found = check("vllm serve m", release, env={BACKEND: "FLASHINFER"})

    assert found.ok
    assert rules(found) == [rule]
    assert found.findings[0].severity is Severity.NO_EFFECT
    change = found.findings[0].fixes[0].change
    assert (change.env_unset, change.flags_set) == ((BACKEND,), {"--attention-backend": "FLASHINFER"})


def test_a_strict_launch_is_stopped_by_an_unknown_variable():
    command = "vllm serve m --fail-on-environ-validation"

    for name in (BACKEND, "VLLM_NEVER_HEARD_OF"):
        found = check(command, "0.32.0", env={name: "x"})
        assert rules(found) == ["unknown-variable-refused"]
        assert not found.ok
    assert check(command, "0.32.0", env={"VLLM_NO_USAGE_STATS": "1"}).findings == ()


@pytest.mark.parametrize(
    ("value", "release", "rule"),
    [
        ("flash_attn", "0.11.2", "backend-variable-invalid"),
        ("", "0.11.2", "backend-variable-invalid"),
        ("FLASH_ATTN_VLLM_V1", "0.12.0", "backend-variable-invalid"),
        ("XFORMERS", "0.12.0", "backend-variable-invalid"),
        ("NONSENSE", "0.14.1", "backend-variable-invalid"),
        ("NONSENSE", "0.10.2", "backend-variable-not-listed"),
    ],
)
def test_a_wrong_name_of_a_backend_stops_the_start(value, release, rule):
    found = check("vllm serve m", release, env={BACKEND: value})

    assert rules(found) == [rule]
    assert not found.ok


def test_a_wrong_name_is_ignored_by_releases_that_do_not_check_it():
    found = check("vllm serve m", "0.9.2", env={BACKEND: "NONSENSE"})

    assert found.ok
    assert found.findings[0].severity is Severity.NO_EFFECT


@pytest.mark.parametrize("value", ["FLASH_ATTN", "FLASHINFER", "TRITON_ATTN", "XFORMERS", "TORCH_SDPA"])
def test_names_that_the_release_has_are_no_fault_while_machine_and_model_are_unknown(value):
    assert check("vllm serve m", "0.11.2", env={BACKEND: value}).findings == ()


def test_variable_and_flag_together_are_refused_where_both_are_read():
    command = "vllm serve m --attention-backend FLASH_ATTN"

    assert not check(command, "0.13.0", env={BACKEND: "FLASH_ATTN"}).ok
    assert check(command, "0.15.0", env={BACKEND: "FLASH_ATTN"}).ok


@pytest.mark.parametrize(
    ("name", "value", "release", "said"),
    [
        ("VLLM_CPU_KVCACHE_SPACE", "lots", "0.32.0", "must be a number"),
        ("VLLM_CPU_KVCACHE_SPACE", "", "0.32.0", "set to nothing"),
        ("VLLM_USE_V1", "true", "0.10.0", "must be a number"),
        ("VLLM_LOG_STATS_INTERVAL", "often", "0.20.2", "must be a number"),
        ("VLLM_PORT", "tcp://10.0.0.1:8000", "0.20.2", "address"),
        ("VLLM_PORT", "http", "0.20.2", "must be a number"),
        ("VLLM_WORKER_MULTIPROC_METHOD", "forked", "0.20.2", "does not take `forked`"),
    ],
)
def test_a_value_that_the_release_fails_on_stops_the_start(name, value, release, said):
    found = check("vllm serve m", release, env={name: value})

    assert len(found.findings) == 1
    assert found.findings[0].severity is BLOCKS
    assert said in texts(found)


def test_a_switch_in_words_is_offered_as_the_number_that_is_meant():
    fix = check("vllm serve m", "0.10.0", env={"VLLM_USE_V1": "false"}).findings[0].fixes[0]

    assert fix.change.env_set == {"VLLM_USE_V1": "0"}
    assert fix.commands == ("export VLLM_USE_V1=0", "vllm serve m 2>&1 | tee vllm.log")


@pytest.mark.parametrize(
    ("name", "value", "release"),
    [
        ("VLLM_CPU_KVCACHE_SPACE", "40", "0.32.0"),
        ("VLLM_LOGGING_LEVEL", "debug", "0.20.2"),
        ("VLLM_USE_MODELSCOPE", "True", "0.20.2"),
        ("VLLM_USE_MODELSCOPE", "", "0.20.2"),
        ("VLLM_LOG_STATS_INTERVAL", "2.5", "0.20.2"),
        ("VLLM_WORKER_MULTIPROC_METHOD", "spawn", "0.20.2"),
        ("VLLM_PORT", "9000", "0.20.2"),
        ("VLLM_HOST_IP", "", "0.20.2"),
        ("HF_HUB_OFFLINE", "", "0.20.2"),
        ("MY_VLLM_THING", "x", "0.20.2"),
        # read by programs beside vLLM, or set by Kubernetes for a service called vllm
        ("VLLM_ASCEND_ENABLE_X", "1", "0.20.2"),
        ("VLLM_DIAGNOSE_LOG_LEVEL", "info", "0.20.2"),
        ("VLLM_SERVICE_HOST", "10.0.0.1", "0.20.2"),
        ("VLLM_PORT_8000_TCP_ADDR", "10.0.0.1", "0.20.2"),
    ],
)
def test_sound_variables_are_no_fault(name, value, release):
    assert check("vllm serve m", release, env={name: value}).findings == ()


@pytest.mark.parametrize(
    ("name", "release", "said"),
    [
        ("VLLM_USE_V1", "0.20.2", "vLLM 0.11.0 was the last"),
        ("VLLM_LOGING_LEVEL", "0.20.2", "VLLM_LOGGING_LEVEL is meant"),
        ("VLLM_SERVER_DEV_MODE", "0.6.3", "came with vLLM"),
        ("VLLM_NEVER_HEARD_OF", "0.20.2", "does not read VLLM_NEVER_HEARD_OF"),
    ],
)
def test_an_unknown_variable_is_named_with_what_is_known_of_it(name, release, said):
    found = check("vllm serve m", release, env={name: "1"})

    assert found.ok
    assert found.findings[0].failure_class == "env-var-ignored"
    assert said in texts(found)
