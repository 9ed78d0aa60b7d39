"""What a mistake is called: our own words, the option or variable by its name, advice that fits."""

import os
import resource
import subprocess
import sys

import pytest

from bot.cli.reference.commands import command_helps
from tests.bot.cli.running import ROOT, run


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["serve", "--port", "abc"], "'--port': it must be a whole number; `vllm-diagnose serve --help`"),
        (["serve", "--port", "99999"], "'--port': it must be at most 65535;"),
        (["diagnose", "--gpu"], "'--gpu' needs a value; `vllm-diagnose diagnose --help`"),
        (["nope"], "no command called 'nope'; `vllm-diagnose --help` shows all"),
        (["releases", "show", "0.12.99"], "the nearest are 0.12.0 and 0.13.0;"),
        (["releases", "show", "0.1"], "the nearest is 0.6.3;"),
        (["releases", "show", "main"], "give one such as"),
        (["releases", "show", "0.11.2", "--tower", "nope"], "no vision encoder in the facts of vLLM 0.11.2"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_mistake_is_told_in_our_words_with_advice_that_fits(arguments, told, capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, *arguments)

    assert outcome.code == 64
    assert told in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_file_of_variables_that_is_missing_is_not_read_from_standard_input(tmp_path, capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, "diagnose", "--env-file", str(tmp_path / "nope"))

    assert outcome.code == 65
    assert "there is no such file; check the name\n" in outcome.err


def test_a_file_of_variables_that_is_no_text_is_one_sentence(tmp_path, capsys, monkeypatch):
    path = tmp_path / "launch.env"
    path.write_bytes(bytes(range(256)) * 40)

    outcome = run(capsys, monkeypatch, "diagnose", "--env-file", str(path))

    assert outcome.code == 65
    assert outcome.err == f"vllm-diagnose: {path}: this is not text; name a file of NAME=value lines\n"


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("VLLM_DIAGNOSE_CONSOLE__CHANNELS", "a,b", "VLLM_DIAGNOSE_CONSOLE__CHANNELS: write a list as JSON"),
        ("VLLM_DIAGNOSE_CONSOLE", "nope", "VLLM_DIAGNOSE_CONSOLE: write a group of settings as JSON"),
        ("VLLM_DIAGNOSE_CONSOLE__PORT", "x", "(VLLM_DIAGNOSE_CONSOLE__PORT): must be a whole number"),
        (
            "VLLM_DIAGNOSE_RELAUNCH__REGISTRY",
            "hosts.yaml",
            "relaunch.registry (VLLM_DIAGNOSE_RELAUNCH__REGISTRY): must be an absolute path (given: 'hosts.yaml').",
        ),
        (
            "VLLM_DIAGNOSE_STATE_DIR",
            "state",
            "state_dir (VLLM_DIAGNOSE_STATE_DIR): must be an absolute path (given: 'state').",
        ),
    ],
)
def test_a_faulty_variable_is_named_without_words_of_a_library(variable, value, told, capsys, monkeypatch):
    monkeypatch.setenv(variable, value)

    outcome = run(capsys, monkeypatch, "login")

    assert outcome.code == 65
    assert told in outcome.err
    assert not [word for word in ("Source", "Input should", "parsing") if word in outcome.err]


def test_a_faulty_file_of_settings_is_named_with_the_place(tmp_path, capsys, monkeypatch):
    path = tmp_path / "settings.yaml"
    path.write_text("console: {port: [\n", encoding="utf-8")
    monkeypatch.setenv("VLLM_DIAGNOSE_CONFIG", str(path))

    outcome = run(capsys, monkeypatch, "login")

    assert outcome.code == 65
    assert f"{path}, line 2, column 1: this is not YAML." in outcome.err


@pytest.mark.parametrize("command", [[], ["diagnose"], ["rules", "list"]])
def test_help_has_a_short_name(command, capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, *command, "-h")

    assert outcome.code == 0
    assert outcome.out == run(capsys, monkeypatch, *command, "--help").out


def test_the_example_in_the_help_of_a_new_rule_works(tmp_path, capsys, monkeypatch):
    text = dict(command_helps())["vllm-diagnose rules new"]
    example = next(line for line in text.splitlines() if "For example: " in line)
    words = example.partition("vllm-diagnose ")[2].split()

    outcome = run(capsys, monkeypatch, *words, "--folder", str(tmp_path))

    assert outcome.code == 0
    assert outcome.out


def test_one_is_not_said_as_many(tmp_path, capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, "rules", "test", "vit-backend-rejected")

    assert "vllm-diagnose: 1 rule, " in outcome.err


@pytest.mark.parametrize("command", [["serve", "--port", "0"], ["demo", "--no-browser"]])
def test_a_store_that_finds_no_room_on_the_disk_says_so(command, tmp_path):
    # files of this process may not grow as far as a store needs: what a full disk does, for the user alone
    limit = (40_000, 40_000)
    result = subprocess.run(
        [sys.executable, "-m", "bot", *command],
        cwd=ROOT,
        env={**os.environ, "VLLM_DIAGNOSE_STATE_DIR": str(tmp_path / "state"), "TMPDIR": str(tmp_path)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert result.returncode == 69
    assert result.stderr.count("\n") == 1
    assert "space on that disk" in result.stderr
    assert "Traceback" not in result.stderr
