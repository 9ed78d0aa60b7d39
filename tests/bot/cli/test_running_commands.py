"""`serve`, `demo` and `login` from a terminal: where the page is, how it ends, what prevents a start."""

import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager

import pytest

from tests.bot.cli.running import ROOT, process, run


@contextmanager
def _running(*arguments, state):
    """Start the program and yield the address that it prints."""
    environment = {**os.environ, "VLLM_DIAGNOSE_STATE_DIR": str(state)}
    environment.pop("DISPLAY", None)
    running = subprocess.Popen(
        [sys.executable, "-m", "bot", *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert running.stdout is not None
        line = running.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert found, line + running.communicate(timeout=60)[1]
        yield running, found[0]
    finally:
        running.kill()
        running.communicate()


def _status(url):
    with urllib.request.urlopen(url, timeout=30) as response:  # noqa: S310 (our own address)
        return response.status


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_demo_says_where_its_page_is_and_ends_when_told(number, tmp_path):
    with _running("demo", "--no-browser", state=tmp_path) as (running, url):
        status = _status(url)
        running.send_signal(number)
        _, err = running.communicate(timeout=60)

    assert status == 200
    assert running.returncode == 0
    assert "Traceback" not in err


def test_login_prints_a_link_to_the_bot_that_runs(tmp_path):
    with _running("serve", "--port", "0", state=tmp_path) as (_, url):
        result = process("login", VLLM_DIAGNOSE_STATE_DIR=str(tmp_path))

    assert result.returncode == 0
    assert result.stdout.decode().startswith(f"{url}/login?token=")
    assert result.stdout.count(b"\n") == 1


def test_a_bot_that_acts_on_hosts_knows_nobody_who_has_not_signed_in(tmp_path, monkeypatch):
    registry = tmp_path / "hosts.yaml"
    registry.write_text("version: 1\nhosts: []\n")
    monkeypatch.setenv("VLLM_DIAGNOSE_RELAUNCH__REGISTRY", str(registry))
    with _running("serve", "--port", "0", state=tmp_path) as (_, url):
        with pytest.raises(urllib.error.HTTPError) as refused:
            _status(url)
        refused.value.close()
        link = process("login", VLLM_DIAGNOSE_STATE_DIR=str(tmp_path)).stdout.decode().strip()
        jar = urllib.request.HTTPCookieProcessor()
        assert link.startswith(f"{url}/login?token=")
        with urllib.request.build_opener(jar).open(link, timeout=30) as page:
            assert page.status == 200

    assert refused.value.code == 401


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("version: 2\nhosts: []\n", "hosts.yaml:1: version must be 1; "),
        (None, "hosts.yaml:1: cannot be read: "),
    ],
)
def test_a_bot_whose_registry_is_faulty_says_that_nothing_can_be_relaunched(
    text, said, tmp_path, monkeypatch
):
    registry = tmp_path / "hosts.yaml"
    if text is not None:
        registry.write_text(text)
    monkeypatch.setenv("VLLM_DIAGNOSE_RELAUNCH__REGISTRY", str(registry))
    with _running("serve", "--port", "0", state=tmp_path) as (running, _):
        running.send_signal(signal.SIGTERM)
        _, err = running.communicate(timeout=60)

    assert running.returncode == 0
    assert said in err
    assert "nothing can be relaunched until that is mended: `vllm-diagnose hosts check` shows all" in err


def test_login_without_a_bot_says_how_to_start_one(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("VLLM_DIAGNOSE_STATE_DIR", str(tmp_path))

    outcome = run(capsys, monkeypatch, "login")

    assert outcome.code == 69
    assert "vllm-diagnose serve" in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_port_that_is_taken_is_said_in_one_sentence(tmp_path):
    with _running("serve", "--port", "0", state=tmp_path / "first") as (_, url):
        port = url.rpartition(":")[2]
        result = process("serve", "--port", port, VLLM_DIAGNOSE_STATE_DIR=str(tmp_path / "second"))

    assert result.returncode == 69
    assert port.encode() in result.stderr
    assert b"--port" in result.stderr
    assert result.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    ("arguments", "environment", "code"),
    [
        (["--host", "not an address"], {}, 64),
        (["--port", "70000"], {}, 64),
        ([], {"VLLM_DIAGNOSE_CONSOLE__PORT": "many"}, 65),
        ([], {"VLLM_DIAGNOSE_VOLUME": "3"}, 65),
        ([], {"VLLM_DIAGNOSE_CONFIG": "/no/such/file.yaml"}, 65),
    ],
)
def test_a_faulty_setting_is_said_in_one_sentence(
    arguments, environment, code, tmp_path, capsys, monkeypatch
):
    for name, value in {"VLLM_DIAGNOSE_STATE_DIR": str(tmp_path), **environment}.items():
        monkeypatch.setenv(name, value)

    outcome = run(capsys, monkeypatch, "serve", *arguments)

    assert outcome.code == code
    assert outcome.err.count("\n") == 1
    assert "Traceback" not in outcome.err
