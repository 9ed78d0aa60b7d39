"""A person's mistake gets one sentence on stderr, an exit code of the contract, and never a traceback."""

import os
import pty
import signal
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.cli.app import main
from bot.cli.tree import COMMANDS
from tests.bot.cli.running import ROOT, process, run

SEED = (
    b"ERROR 11-28 07:55:57 [multiproc_executor.py:743] RuntimeError: "
    b"Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now.\n"
)


def _one_sentence(err: str) -> bool:
    return err.startswith("vllm-diagnose: ") and err.count("\n") == 1 and "Traceback" not in err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nonsense"],
        ["--nonsense"],
        ["diagnose", "--nonsense"],
        ["diagnose", "--lang", "fr"],
        ["diagnose", "--gpu"],
        ["rules"],
        ["rules", "nonsense"],
        ["releases", "nonsense"],
        ["releases", "show"],
        ["explain"],
        ["explain", "no-such-rule"],
        ["releases", "show", "9.9.9"],
        ["releases", "diff", "0.11.2", "9.9.9"],
        ["rules", "test", "no-such-rule"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_64_and_one_sentence(arguments, capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, *arguments)

    assert outcome.code == 64
    assert _one_sentence(outcome.err)
    assert outcome.out == ""


def test_an_unknown_command_names_the_nearest(capsys, monkeypatch):
    assert "the nearest is diagnose" in run(capsys, monkeypatch, "diagnos").err


def test_the_exit_code_of_wrong_usage_reaches_the_shell():
    result = process("diagnose", "--nonsense")

    assert result.returncode == 64
    assert _one_sentence(result.stderr.decode())


@pytest.mark.parametrize("kind", ["missing", "folder", "env-missing", "env-folder"])
def test_an_input_that_cannot_be_read_is_65_and_says_what_to_do(kind, tmp_path, capsys, monkeypatch):
    path = tmp_path if "folder" in kind else tmp_path / "missing.log"
    arguments = ["--env-file", str(path)] if "env" in kind else [str(path)]

    outcome = run(capsys, monkeypatch, "diagnose", *arguments, stdin=SEED)

    assert outcome.code == 65
    assert _one_sentence(outcome.err)
    assert str(path) in outcome.err


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file that nobody can read from its start")
def test_a_file_that_fails_while_it_is_read_is_65(capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, "diagnose", "/proc/self/mem")

    assert outcome.code == 65
    assert _one_sentence(outcome.err)


def test_a_closed_standard_input_is_an_unusable_input():
    result = subprocess.run(
        ["/bin/sh", "-c", f"{sys.executable} -m bot diagnose <&-"], cwd=ROOT, capture_output=True, check=False
    )

    assert result.returncode == 65
    assert _one_sentence(result.stderr.decode())


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("command", ["releases list", "--help", "explain vit-backend-rejected"])
def test_a_reader_that_goes_away_ends_the_program_quietly(command, unbuffered):
    script = f"{sys.executable} -m bot {command} | :; echo ${{PIPESTATUS[0]}}"
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}

    result = subprocess.run(
        ["bash", "-c", script], cwd=ROOT, env=environment, capture_output=True, check=False
    )

    assert result.stderr == b""
    assert result.stdout == b"141\n"


def test_an_output_that_is_full_is_said_in_one_sentence():
    script = f"{sys.executable} -m bot releases list > /dev/full"

    result = subprocess.run(["/bin/sh", "-c", script], cwd=ROOT, capture_output=True, check=False)

    assert result.returncode == 74
    assert _one_sentence(result.stderr.decode())


def test_an_interrupt_ends_with_130_and_no_traceback():
    leader, follower = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "bot", "diagnose"], cwd=ROOT, stdin=follower, stderr=subprocess.PIPE, stdout=-1
    )
    try:
        assert running.stderr is not None
        # the invitation to paste says that it reads now
        assert b"Ctrl-D" in running.stderr.readline()
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=60)
    finally:
        running.kill()
        os.close(leader)
        os.close(follower)

    assert running.returncode == 130
    assert b"Traceback" not in err


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_has_help_with_an_example(name, capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, name, "--help")

    assert outcome.code == 0
    assert f"vllm-diagnose {name}" in outcome.out.replace("Usage: vllm-diagnose", "")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    words=st.lists(
        st.one_of(
            st.sampled_from(
                [*COMMANDS, "--json", "--lang", "zh", "list", "lint", "show", "diff", "--gpu", "--help", "-"]
            ),
            st.text(max_size=12),
        ).filter(lambda word: word not in {"serve", "demo", "login", "add", "new", "test", "lint"}),
        max_size=4,
    )
)
def test_no_command_line_makes_a_traceback(words, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    outcome = run(capsys, monkeypatch, *words)

    assert outcome.code in {0, 1, 2, 3, 64, 65}
    assert "Traceback" not in outcome.err


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    paste=st.one_of(
        st.binary(max_size=400),
        st.text(max_size=400).map(lambda text: SEED + text.encode("utf-8", "replace")),
    )
)
def test_no_paste_makes_a_traceback(paste, capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, "diagnose", "-", stdin=paste)

    assert outcome.code in {0, 1, 2, 3} or (outcome.code == 65 and _one_sentence(outcome.err))
    assert outcome.code == 65 or outcome.err == ""


def test_main_takes_the_arguments_of_the_process_when_it_is_given_none(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["vllm-diagnose", "--version"])

    assert main() == 0
    assert capsys.readouterr().out.startswith("vllm-diagnose ")
