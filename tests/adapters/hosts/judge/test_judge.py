"""The judge: what it says of a launch, what it gives to vLLM, and what it never does."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from adapters.hosts.build import write
from tests.adapters.hosts.judge.little_vllm import make_python

FOLDER = Path(__file__).parents[4] / "adapters" / "hosts" / "helper" / "judge"


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    return make_python(tmp_path_factory.mktemp("little-vllm") / "venv")


def _judge(
    python, *arguments, env=None, timeout_s=120, program_env=None, program=(str(FOLDER / "outside.py"),)
):
    order = {"arguments": arguments, "env": env or {}, "timeout_s": timeout_s}
    done = subprocess.run(
        [str(python), *program],
        input=json.dumps(order),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, **(program_env or {})},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_sound_launch_is_accepted_and_nothing_is_served(python):
    answer = _judge(python, "some/model", "--dtype", "half")

    assert (answer["verdict"]["outcome"], answer["verdict"]["stage"]) == ("accepted", "config")
    assert answer["facts"]["vllm"] == "0.99.0+cpu"
    assert answer["facts"]["build"]["local"] == "cpu"
    assert answer["facts"]["platform"] == {"device_type": "cpu", "gpus": []}
    assert answer["facts"]["variables"] == ["VLLM_PORT", "VLLM_USE_V1"]


def test_the_helper_s_archive_judges_as_the_file_does(python, tmp_path):
    archive = tmp_path / "helper.pyz"
    write(archive)

    sound, refused = (
        _judge(python, "some/model", *flags, program=(str(archive), "judge"))["verdict"]
        for flags in ((), ("--no-such",))
    )

    assert (sound["outcome"], sound["stage"]) == ("accepted", "config")
    assert refused["message"] == "unrecognized arguments: --no-such"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["m", "--dtype", "float8"],
            "argument --dtype: invalid choice: 'float8' (choose from 'auto', 'half')",
        ),
        (["m", "--no-such"], "unrecognized arguments: --no-such"),
        (["--help"], "it prints and ends"),
    ],
)
def test_what_the_parser_refuses_is_refused_in_its_words(python, arguments, message):
    verdict = _judge(python, *arguments)["verdict"]

    assert (verdict["outcome"], verdict["stage"]) == ("refused", "arguments")
    assert verdict["message"].replace("'", "") == message.replace("'", "")


def test_what_the_configuration_refuses_is_refused_without_what_stands_round_it(python):
    verdict = _judge(python, "m", "--max-model-len", "101")["verdict"]

    assert (verdict["outcome"], verdict["stage"], verdict["kind"]) == ("refused", "config", "ValueError")
    assert verdict["message"] == "User-specified max_model_len is too long"


def test_the_environment_is_that_of_the_launch_and_no_other(python):
    answer = _judge(
        python,
        "m",
        env={
            "VLLM_X": "",
            "B": "2",
            "LD_PRELOAD": "/x.so",
            "PYTHONPATH": "/x",
            "PATH": "/x",
            "BASH_ENV": "/x",
        },
        program_env={"VLLM_USE_V1": "1", "HF_TOKEN": "secret"},
    )

    (warning,) = answer["verdict"]["warnings"]
    names = set(ast.literal_eval(warning.removeprefix("Unknown variable ")))
    # the interpreter itself may set the locale
    assert names - {"LC_CTYPE", "__CF_USER_TEXT_ENCODING"} == {
        "VLLM_X",
        "B",
        "PATH",
        "HOME",
        "HF_HUB_OFFLINE",
    }
    assert answer["left_out"] == ["BASH_ENV", "LD_PRELOAD", "PATH", "PYTHONPATH"]


def test_nothing_is_imported_from_where_the_judge_lies_or_runs(python):
    verdict = _judge(python, "m", "--do", "paths")["verdict"]

    paths = json.loads(verdict["message"])
    assert str(FOLDER) not in paths
    assert "" not in paths


def test_a_judgement_that_hangs_is_ended_with_all_it_started(python):
    answer = _judge(python, "m", "--do", "hang", timeout_s=3)

    assert (answer["verdict"]["outcome"], answer["verdict"]["stage"]) == ("undecided", "config")
    assert answer["verdict"]["message"] == "it took too long"
    assert answer["facts"]["vllm"] == "0.99.0+cpu"


def test_when_whoever_asked_is_killed_nothing_goes_on(python, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    order = {"arguments": ["m", "--do", "hang"], "env": {"PIPE": str(pipe)}, "timeout_s": 300}
    asking = subprocess.Popen([str(python), str(FOLDER / "outside.py")], stdin=subprocess.PIPE, text=True)
    asking.stdin.write(json.dumps(order))
    asking.stdin.close()

    with pipe.open() as said:
        first = said.readline()
        asking.kill()
        asking.wait()
        # ends when the judging process, which holds the other end, is gone
        rest = said.read()

    assert (first, rest) == ("hanging\n", "")


def test_a_judgement_that_dies_says_what_was_last_printed(python):
    verdict = _judge(python, "m", "--do", "die")["verdict"]

    assert verdict["outcome"] == "undecided"
    assert "about to die" in verdict["message"]


def test_a_model_that_is_not_here_is_no_fault_of_the_launch(python):
    elsewhere = _judge(python, "m", "--do", "absent")["verdict"]
    offline = _judge(python, "m", "--do", "absent", env={"HF_HUB_OFFLINE": "1"})["verdict"]

    assert elsewhere["outcome"] == "undecided"
    assert offline["outcome"] == "refused"


def test_code_that_the_launch_or_the_model_brings_is_not_run(python):
    plugin = _judge(python, "m", "--tool-parser-plugin", "/x.py")["verdict"]
    trusted = _judge(python, "m", "--trust-remote-code")["verdict"]
    needed = _judge(python, "m", "--trust-remote-code", "--do", "own-code")["verdict"]
    not_trusted = _judge(python, "m", "--do", "own-code")["verdict"]

    assert plugin["outcome"] == "undecided"
    assert "--tool-parser-plugin" in plugin["message"]
    assert trusted["outcome"] == "accepted"
    assert trusted["skipped"]
    assert needed["outcome"] == "undecided"
    assert not_trusted["outcome"] == "refused"


def test_a_python_without_vllm_decides_nothing(tmp_path):
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True, timeout=300)

    answer = _judge(bare / "bin" / "python", "m")

    assert answer["facts"] is None
    assert (answer["verdict"]["outcome"], answer["verdict"]["stage"]) == ("undecided", "import")
    assert answer["verdict"]["message"] == "this Python has no vLLM"


@pytest.mark.parametrize("order", ["", "[]", "{", "null"])
def test_an_order_that_is_none_is_an_error_in_json(order):
    done = subprocess.run(
        [sys.executable, str(FOLDER / "outside.py")],
        input=order,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 64
    assert json.loads(done.stdout)["error"]


@pytest.mark.parametrize("name", ["outside.py", "inside.py"])
def test_it_is_written_for_the_oldest_python_of_vllm_and_imports_nothing_of_ours(name):
    tree = ast.parse((FOLDER / name).read_text(), feature_version=(3, 8))

    imported = {
        alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    } | {str(node.module).partition(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported <= set(sys.stdlib_module_names)
