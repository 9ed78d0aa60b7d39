"""Nobody showed whether the variable or the encoder's own flag asked for the backend: both are spoken of."""

import shlex

import pytest

from rules.engine.paste.facts import Given
from rules.engine.start import Options, start_engine

SEED = "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."
FIRST = "RuntimeError: Qwen3-VL does not support _Backend.FLASHINFER backend now."
FLAG = "--mm-encoder-attn-backend"
BY_USER = "Using AttentionBackendEnum.FLASHINFER backend."
OWN = {
    "0.11.1": "Using FLASH_ATTN backend.",
    "0.11.2": "Using FLASH_ATTN backend.",
    "0.12.0": "Using FLASH_ATTN attention backend out of potential backends:",
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    return start_engine(Options(cache=tmp_path_factory.mktemp("cache")))


def fix(engine, fix_id, **given):
    report = engine.diagnose(given.pop("paste", SEED), Given(gpu="H100", **given))
    return next(one for one in report.diagnoses[0].fixes if one.id == fix_id)


def lines(found):
    """Return the texts of the first log proof."""
    words = shlex.split(next(proof.command for proof in found.verify if proof.kind == "log"))
    return [word for word in words[1:-1] if not word.startswith("-")]


@pytest.mark.parametrize("release", OWN)
def test_removing_the_variable_names_the_flag_as_the_other_origin(engine, release):
    summary = fix(engine, "unset-variable", vllm_version=release).summary

    assert f"If the launch asks for it with {FLAG} instead, drop that flag" in summary


@pytest.mark.parametrize(
    "given",
    [
        {"vllm_version": "0.11.2", "env": {"VLLM_ATTENTION_BACKEND": "FLASHINFER"}},
        {"vllm_version": "0.11.2", "command": "vllm serve Qwen/Qwen3-VL-4B-Instruct --port 9000"},
        {"vllm_version": "0.11.0", "paste": FIRST},
    ],
)
def test_a_seen_launch_or_a_release_without_the_flag_needs_no_such_remark(engine, given):
    assert FLAG not in fix(engine, "unset-variable", **given).summary


@pytest.mark.parametrize("release", OWN)
def test_the_encoders_flag_is_proven_by_either_line_while_the_variable_is_a_guess(engine, release):
    assert lines(fix(engine, "encoder-backend-flag", vllm_version=release)) == [BY_USER, OWN[release]]


@pytest.mark.parametrize("release", OWN)
def test_the_encoders_flag_is_proven_by_one_line_where_the_variable_was_seen(engine, release):
    env = {"VLLM_ATTENTION_BACKEND": "FLASHINFER"}

    assert lines(fix(engine, "encoder-backend-flag", vllm_version=release, env=env)) == [BY_USER]
