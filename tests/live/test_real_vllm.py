"""On 40 launches `check`, the judge and the real vLLM agree on what would start (`make test-vllm`)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.live.launches import LATE, MODEL, TRIED
from tests.live.running import (
    complete,
    environment,
    free_port,
    judge_and_run,
    judged_alone,
    log_until_ready,
    serving,
)

pytestmark = pytest.mark.vllm
ROOT = Path(__file__).parents[2]
RELEASE = "0.32.0"
#: started for real, by the plain command
STARTED = ("plain", "backend in lower case", "variable of another time")
ENDED = ("unknown flag", "longer than the model", "heads not divisible")
BY_NAME = {tried.name: tried for tried in (*TRIED, *LATE)}


@pytest.fixture(scope="session")
def answers(venv, model):
    """Return what judge and program say of every launch."""
    launches = [(one.name, _words(one, model), environment(venv, **one.env)) for one in (*TRIED, *LATE)]
    return judge_and_run(venv, launches)


def _words(tried, model):
    return [word.replace(MODEL, str(model)) for word in tried.arguments]


def _check(tried, model, env, tmp_path):
    variables = tmp_path / "server.env"
    variables.write_text("".join(f"{name}={value}\n" for name, value in env.items()))
    done = subprocess.run(
        [
            *(sys.executable, "-m", "bot", "check", "--json", "--vllm-version", RELEASE, "--gpu", "cpu"),
            *("--env-file", str(variables), "--", "vllm", "serve", *_words(tried, model)),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return json.loads(done.stdout)


def test_there_are_forty_launches_good_and_bad():
    assert len(TRIED) == 40
    assert len(BY_NAME) == len(TRIED) + len(LATE)


@pytest.mark.parametrize("name", [tried.name for tried in TRIED])
def test_the_judge_says_what_the_program_does(name, answers):
    tried, program, judge = BY_NAME[name], answers[name]["program"], answers[name]["judge"]

    assert (program["exit"] is None) == (tried.refused is None), program["log"][-2000:]
    assert judge["outcome"] == ("accepted" if tried.refused is None else "refused"), judge
    if tried.refused is not None:
        assert tried.refused in program["log"]
        assert tried.refused in judge["message"]


@pytest.mark.parametrize("name", [tried.name for tried in TRIED])
def test_check_says_what_the_program_does(name, model, venv, tmp_path):
    tried = BY_NAME[name]

    checked = _check(tried, model, environment(venv, **tried.env), tmp_path)

    assert checked["ok"] == (tried.refused is None), checked["findings"]


@pytest.mark.parametrize("name", [tried.name for tried in LATE])
def test_what_check_cannot_know_is_no_finding(name, model, venv, tmp_path):
    tried = BY_NAME[name]

    assert _check(tried, model, environment(venv, **tried.env), tmp_path)["ok"]


@pytest.mark.parametrize("name", [tried.name for tried in LATE])
def test_what_only_the_engine_refuses_is_accepted_by_the_judge(name, answers):
    assert answers[name]["judge"]["outcome"] == "accepted"
    assert answers[name]["program"]["exit"] is None


def test_the_judge_alone_names_the_package_the_platform_and_an_unknown_variable(venv, model):
    answer = judged_alone(venv, [str(model)], environment(venv, VLLM_ATTENTION_BACKEND="FLASHINFER"))

    assert answer["verdict"]["outcome"] == "accepted", answer
    assert answer["facts"]["vllm"].startswith(RELEASE)
    assert answer["facts"]["platform"] == {"device_type": "cpu", "gpus": []}
    assert "VLLM_CPU_KVCACHE_SPACE" in answer["facts"]["variables"]
    unknown = "Unknown vLLM environment variable detected: VLLM_ATTENTION_BACKEND"
    assert unknown in answer["verdict"]["warnings"]


@pytest.mark.parametrize("name", STARTED)
def test_a_launch_that_is_taken_really_serves(name, venv, model):
    tried, port = BY_NAME[name], free_port()
    words = [*_words(tried, model), "--enforce-eager", "--host", "127.0.0.1", "--port", str(port)]

    with serving(venv, words, environment(venv, **tried.env)) as process:
        is_ready, log = log_until_ready(process)
        text = complete(process, port, str(model)) if is_ready else None

    assert is_ready, log[-4000:]
    assert text is not None


@pytest.mark.parametrize("name", [*ENDED, *(tried.name for tried in LATE)])
def test_a_launch_that_is_refused_really_ends(name, venv, model):
    tried = BY_NAME[name]
    words = [*_words(tried, model), "--enforce-eager", "--host", "127.0.0.1", "--port", str(free_port())]

    with serving(venv, words, environment(venv, **tried.env)) as process:
        is_ready, log = log_until_ready(process)
        code = process.wait(300)

    assert not is_ready
    assert code in (1, 2)
    assert tried.refused in log
