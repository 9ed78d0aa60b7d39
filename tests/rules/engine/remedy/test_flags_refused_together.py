"""A message that refuses several flags names them all in the fix, and the fix drops them all."""

import pytest

from rules.engine.paste.facts import Given
from rules.engine.start import start_engine


@pytest.fixture(scope="module")
def engine():
    return start_engine()


@pytest.mark.parametrize("program", ["vllm", "vllm serve", "api_server.py"])
@pytest.mark.parametrize("refused", ["--foo-bar 3 --bar=1", "--bar=1 --foo-bar", "--foo-bar --foo-bar --bar"])
def test_all_are_named_and_dropped(engine, program, refused):
    paste = f"{program}: error: unrecognized arguments: {refused}"
    launch = f"vllm serve m --port 1 {refused}"

    fix = engine.diagnose(paste, Given(vllm_version="0.20.2", command=launch)).diagnoses[0].fixes[0]

    assert set(fix.change.flags_unset) == {"--foo-bar", "--bar"}
    assert "--foo-bar" in fix.summary
    assert "--bar" in fix.summary
    assert fix.commands == ("vllm serve m --port 1 2>&1 | tee vllm.log",)


@pytest.mark.parametrize("refused", ["--foo-bar 3 {}", "{} --foo-bar 3"])
@pytest.mark.parametrize(
    ("flag", "release"),
    [
        ("--disable-log-requests", "0.20.2"),
        ("--enable-reasoning", "0.11.2"),
        ("--attention-backend FLASH_ATTN", "0.11.2"),
    ],
)
def test_a_flag_beside_one_that_has_a_rule_is_dropped_too(engine, refused, flag, release):
    words = refused.format(flag)
    paste = f"vllm: error: unrecognized arguments: {words}"
    given = Given(vllm_version=release, gpu="H100", command=f"vllm serve m {words} --port 1")

    fix = engine.diagnose(paste, given).diagnoses[0].fixes[0]

    assert set(fix.change.flags_unset) == {"--foo-bar", flag.partition(" ")[0]}
    assert "The same message refuses --foo-bar; leave that out too." in fix.summary
    assert fix.commands[-1] == "vllm serve m --port 1 2>&1 | tee vllm.log"


def test_words_of_prose_are_no_flags_that_a_parser_refused(engine):
    paste = "[Bug]: vLLM 0.23.0 unrecognized arguments: --foo-bar when --port is given"

    fix = engine.diagnose(paste).diagnoses[0].fixes[-1]

    assert "--foo-bar" in fix.summary
    assert "--port" not in fix.summary
