"""What wraps a launch is taken off, and what it sets is kept."""

import shlex

import pytest

from rules.engine.preflight import NoLaunchError, read_launch


def launch(command, **env):
    return read_launch(shlex.split(command), env)


@pytest.mark.parametrize(
    "command",
    [
        "vllm serve m --port 80",
        "/opt/venv/bin/vllm serve m --port 80",
        "nohup nice -n 5 vllm serve m --port 80",
        "uv run --with vllm vllm serve m --port 80",
        "sudo -E numactl -N 0 vllm serve m --port 80 > vllm.log 2>&1",
        "bash -lc 'exec vllm serve m --port 80'",
        "sh -c \"bash -c 'vllm serve m --port 80'\"",
        "torchrun --nproc-per-node 2 -m vllm.entrypoints.openai.api_server m --port 80",
        "python3 -m vllm.entrypoints.openai.api_server m --port 80",
        "python3 -m vllm.entrypoints.cli.main serve m --port 80",
        "python /src/vllm/entrypoints/openai/api_server.py m --port 80",
        "vllm serve m --port 80 && echo done",
    ],
)
def test_the_server_gets_the_words_behind_whatever_wraps_it(command):
    assert launch(command).words == ("m", "--port", "80")


def test_only_vllm_serve_takes_the_model_as_its_first_word():
    assert launch("vllm serve m").is_serve
    assert launch("python -m vllm.entrypoints.cli.main serve m").is_serve
    assert not launch("python -m vllm.entrypoints.openai.api_server --model m").is_serve


def test_assignments_win_over_what_is_inherited_and_env_takes_variables_away():
    found = launch("env -u GONE VLLM_A=1 vllm serve m", VLLM_A="0", GONE="x", KEPT="y")

    assert found.env == {"VLLM_A": "1", "KEPT": "y"}
    assert found.unset == ("GONE",)
    assert launch("env -i VLLM_A=1 vllm serve m", KEPT="y").env == {"VLLM_A": "1"}


def test_a_value_that_looks_like_an_assignment_is_none_behind_the_server():
    assert launch("vllm serve m --lora-modules A=/x").env == {}


def test_a_container_gets_its_own_variables_and_not_those_of_the_shell():
    found = launch(
        "docker run --rm -it --gpus all -e VLLM_A=1 -e TOKEN --env=VLLM_B=2 -eVLLM_C=3 --ipc=host -p 80:8000 "
        "vllm/vllm-openai:v0.11.2 --model m",
        TOKEN="t",
        VLLM_D="4",
    )

    assert found.env == {"VLLM_A": "1", "TOKEN": "t", "VLLM_B": "2", "VLLM_C": "3"}
    assert found.words == ("--model", "m")
    assert found.image == "vllm/vllm-openai:v0.11.2"
    assert found.container[0] == "docker"
    assert found.container[-1] == "vllm/vllm-openai:v0.11.2"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("docker run vllm/vllm-openai:v0.11.2 vllm serve m", ("m",)),
        ("docker run --entrypoint vllm img serve m -tp 2", ("m", "-tp", "2")),
        ("podman run --entrypoint bash img -c 'VLLM_A=1 vllm serve m'", ("m",)),
        (
            "docker run nvcr.io/x/pytorch:24 python3 -m vllm.entrypoints.openai.api_server --model m",
            ("--model", "m"),
        ),
    ],
)
def test_a_container_may_be_told_the_whole_command(command, words):
    assert launch(command).words == words


@pytest.mark.parametrize(
    "command",
    [
        "",
        "vllm",
        "vllm bench serve",
        "python -m sglang.launch_server",
        "docker run redis",
        "docker run",
        "bash -c '",
    ],
)
def test_what_launches_no_server_is_said_to_be_none(command):
    with pytest.raises(NoLaunchError):
        read_launch(command.split(" "))
