"""`check --judge`: what the installed vLLM says beside what the facts say."""

import json
import venv
from functools import partial

import pytest

from tests.adapters.hosts.judge.little_vllm import make_python
from tests.bot.cli.running import run


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    return str(make_python(tmp_path_factory.mktemp("little-vllm") / "venv"))


@pytest.fixture
def check(capsys, monkeypatch):
    """Run `check` in this process."""
    return partial(run, capsys, monkeypatch, "check")


def _judged(check, python, *words):
    return check("--json", "--judge", python, "--", "vllm", "serve", "m", *words)


def test_what_the_judge_takes_is_said_with_its_release(check, python):
    done = _judged(check, python, "--dtype", "half")

    answer = json.loads(done.out)
    assert (done.code, answer["ok"]) == (0, True)
    assert answer["judge"]["outcome"] == "accepted"
    assert answer["judge"]["vllm_version"] == "0.99.0+cpu"


def test_what_the_judge_refuses_would_not_start_whatever_the_facts_say(check, python):
    done = _judged(check, python, "--max-model-len", "200")

    answer = json.loads(done.out)
    assert (done.code, answer["ok"]) == (1, False)
    assert answer["judge"]["text"] == "User-specified max_model_len is too long"


def test_a_person_reads_what_the_judge_said(check, python):
    done = check("--judge", python, "--", "vllm", "serve", "m", "--max-model-len", "200")

    assert done.out.startswith("This launch would not start")
    assert "The installed vLLM 0.99.0+cpu refuses it" in done.out
    assert "User-specified max_model_len is too long" in done.out


def test_without_a_judge_there_is_nothing_of_one(check):
    done = check("--json", "--", "vllm", "serve", "m")

    assert json.loads(done.out)["judge"] is None


def test_a_launch_in_a_container_is_not_for_the_judge_of_this_machine(check, python):
    done = check(
        "--json",
        "--judge",
        python,
        "--",
        "docker",
        "run",
        "vllm/vllm-openai:v0.11.2",
        "--model",
        "m",
    )

    assert json.loads(done.out)["judge"] is None


def test_a_file_is_judged_launch_by_launch(check, python, tmp_path):
    script = tmp_path / "run.sh"
    script.write_text("vllm serve a --max-model-len 50\nvllm serve b --max-model-len 200\nvllm serve $C\n")

    done = check("--json", "--judge", python, "--file", str(script))

    said = [json.loads(line)["judge"] for line in done.out.splitlines()]
    assert [one and one["outcome"] for one in said] == ["accepted", "refused", None]


@pytest.mark.parametrize("program", ["/no/such/python", "/bin/true"])
def test_what_is_no_python_with_vllm_is_said_in_a_sentence(check, program):
    done = _judged(check, program)

    assert done.code == 69
    assert done.err.count("\n") == 1
    assert "--judge" in done.err


def test_a_python_without_vllm_is_no_judge(check, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder / "venv", symlinks=True)
    bare = str(folder / "venv" / "bin" / "python")

    done = _judged(check, bare)

    assert (done.code, done.out) == (69, "")
    assert f"--judge: {bare} is not a Python that has vLLM; name the one that starts the server" in done.err
    assert done.err.count("\n") == 1
