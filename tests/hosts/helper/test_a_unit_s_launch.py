"""What a manager's unit runs: the launch of the last order, and after a restart of the machine the one before."""

import json
import os
import sys

import pytest

from tests.hosts.helper.gpu_host import BACKEND, HelperRefusedError

SET = {"env_set": {BACKEND: "FLASH_ATTN"}}
#: a server that prints what it was given, and ends
TELL = "import os, sys, json; print(json.dumps([sys.argv[1:], dict(os.environ)]))"


@pytest.fixture
def telling(host):
    """A host whose server is the telling one."""
    host.list_server(argv=[sys.executable, "-S", "-c", TELL, "serve", "m"])
    return host


def launched(host) -> tuple[list[str], dict[str, str]]:
    result = host.run("launch", host.name)
    assert result.returncode == 0, result.stderr
    argv, env = json.loads(result.stdout)
    return argv, env


def test_a_server_never_touched_is_launched_as_registered(telling):
    argv, env = launched(telling)

    assert argv == ["serve", "m"]
    assert env["VLLM_LOGGING_LEVEL"] == "INFO"
    assert BACKEND not in env
    assert "VLLM_DIAGNOSE_HELPER_CONFIG" not in env


def test_the_launch_of_an_open_run_is_what_its_unit_runs(telling):
    telling.start(SET)

    _, env = launched(telling)

    assert env[BACKEND] == "FLASH_ATTN"
    assert env["RELAUNCH_START_ID"] == telling.record()["start_id"]


def test_after_a_restart_of_the_machine_an_open_run_is_over(telling):
    telling.start(SET)
    path = telling.state / telling.name / "intent.json"
    path.write_text(json.dumps({**telling.record(), "boot_id": "another"}))

    _, env = launched(telling)

    assert BACKEND not in env


def test_a_program_that_is_not_there_is_told_in_one_sentence(host):
    host.list_server(argv=["/nowhere/vllm", "serve"])

    result = host.run("launch", host.name)

    assert result.returncode == 69
    assert result.stderr.decode().startswith("/nowhere/vllm is not there")
    assert result.stderr.count(b"\n") == 1


def test_a_start_of_such_a_program_is_refused_before_anything_is_touched(host):
    host.list_server(argv=["/nowhere/vllm", "serve"])

    with pytest.raises(HelperRefusedError, match="not there or not executable"):
        host.start()

    assert host.status()["phase"] == "idle"


def test_a_program_that_cannot_be_executed_says_so_in_the_log_of_its_start(host):
    program = host.folder / "vllm"
    program.write_bytes(b"\x7fELF nonsense")
    program.chmod(0o755)
    host.list_server(argv=[str(program), "serve"])
    host.start()

    status = host.ended()

    assert status["exit_code"] == 127
    assert "cannot be started" in status["log"]["text"]


def test_a_server_has_the_file_mode_of_a_login_and_no_signal_is_held_back(host):
    host.list_server(argv=["/bin/grep", "-E", "^(Umask|Sig(Blk|Ign))", "/proc/self/status"])
    host.start()

    told = dict(line.split(":\t") for line in host.ended()["log"]["text"].splitlines())

    assert told["Umask"] == "0022"
    # Above 31 are those that the C library keeps for itself.
    assert [int(told[kind], 16) & 0x7FFFFFFF for kind in ("SigBlk", "SigIgn")] == [0, 0]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_server_runs_as_its_own_user(host):
    host.list_server(argv=["/usr/bin/id", "-un"], user="nobody")
    host.start()

    assert host.ended()["log"]["text"] == "nobody\n"
