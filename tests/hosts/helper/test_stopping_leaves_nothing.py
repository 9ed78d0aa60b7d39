"""A stop ends everything that is surely the server's, whatever state it is in, and nothing that is not."""

import os
import signal
import socket
import subprocess
import sys

import pytest

from adapters.hosts.helper.processes import proc
from tests.hosts.helper.gpu_host import HelperRefusedError, until


@pytest.fixture
def stranger(host):
    """A process that holds the server's port and has nothing to do with it."""
    code = (
        "import socket, sys; s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1);"
        "s.bind(('127.0.0.1', int(sys.argv[1]))); s.listen(); print('up', flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(host.port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout.readline() == b"up\n"
    yield process
    process.stdin.close()
    process.stdout.close()
    process.wait(30)


def test_a_server_that_heeds_the_signal_ends_without_being_killed(host):
    host.serve()

    stopped = host.stop(run=2)

    assert not stopped["was_killed"]
    assert stopped["orphans"] == stopped["foreign"] == []
    assert stopped["port_is_free"]
    assert host.processes() == []
    until("its supervisor ends too", lambda: host.supervisors() == [])


def test_a_server_that_ignores_the_signal_is_killed_with_its_engine(host):
    host.list_server("--standin-faults=ignores-term")
    host.serve()

    stopped = host.stop(run=2, grace_s=0.5)

    assert stopped["was_killed"]
    assert stopped["port_is_free"]
    assert host.processes() == []
    assert host.status()["exit_code"] == -signal.SIGKILL


def test_a_server_that_does_not_serve_yet_is_not_waited_for_the_whole_grace(host):
    host.list_server("--standin-faults=ignores-term-while-starting", "--standin-delay=600")
    host.start()
    until("it has begun", lambda: "vLLM API server version" in host.status()["log"]["text"])

    stopped = host.stop(run=2, grace_s=600)

    assert stopped["was_killed"]
    assert host.processes() == []


def test_a_process_that_left_the_session_ends_too(host):
    host.list_server("--standin-faults=escapee")
    host.serve()
    status = host.status()
    escaped = [pid for pid in host.observed() if pid not in host.processes()]

    stopped = host.stop(run=2, grace_s=0.5)

    assert escaped
    assert status["state"] == "running"
    assert stopped["port_is_free"]
    assert [pid for pid in escaped if proc.read(pid)] == []


def test_an_engine_that_outlives_its_killed_server_is_found_named_and_ended(host):
    started = host.serve()
    engines = host.engines()
    os.kill(started["pid"], signal.SIGKILL)
    status = host.ended()

    stopped = host.stop(run=2, grace_s=1)

    assert status["exit_code"] == -signal.SIGKILL
    assert stopped["orphans"] == [{"pid": engines[0], "name": "VLLM::EngineCore", "is_ours": True}]
    assert host.engines() == []


def test_an_engine_is_found_also_when_the_supervisor_was_killed_with_the_server(host):
    started = host.serve()
    for pid in [*host.supervisors(), started["pid"]]:
        os.kill(pid, signal.SIGKILL)
    until("it is gone", lambda: host.status()["state"] == "exited")

    stopped = host.stop(run=2, grace_s=1)

    assert [orphan["name"] for orphan in stopped["orphans"]] == ["VLLM::EngineCore"]
    assert host.engines() == []


def test_leftovers_keep_a_new_start_away_until_they_are_swept(host):
    started = host.serve()
    os.kill(started["pid"], signal.SIGKILL)
    host.ended()

    with pytest.raises(HelperRefusedError, match="leftovers"):
        host.start(run=2)


def test_a_server_that_hangs_in_a_stopped_state_is_killed(host):
    started = host.serve()
    os.kill(started["pid"], signal.SIGSTOP)

    stopped = host.stop(run=2, grace_s=0.5)

    assert stopped["was_killed"]
    assert host.processes() == []


def test_a_stranger_on_the_port_is_named_and_left_alone(host, stranger):
    stopped = host.stop()

    assert [holder["pid"] for holder in stopped["foreign"]] == [stranger.pid]
    assert not stopped["foreign"][0]["is_ours"]
    assert not stopped["port_is_free"]
    assert stranger.poll() is None


def test_nothing_is_started_while_a_stranger_holds_the_port(host, stranger):
    checks = {check["name"]: check for check in host.preflight()["checks"]}

    with pytest.raises(HelperRefusedError, match=f"process {stranger.pid}") as refusal:
        host.start()

    assert refusal.value.code == "unable"
    assert not checks["port"]["is_sound"]
    assert host.starts() == []
    assert host.status()["phase"] == "idle"
    assert stranger.poll() is None


def test_connections_of_the_last_server_do_not_hold_the_port(host):
    host.serve()
    with socket.create_connection(("127.0.0.1", host.port)) as visitor:
        visitor.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        visitor.recv(65536)

    assert host.stop(run=2)["port_is_free"]
    host.start(run=2)
    host.serving()


def test_a_second_server_of_the_same_host_is_not_touched(host):
    host.serve()
    first = host.status()
    other = host.second()
    other.serve()

    other.stop(run=2)

    assert host.status()["pid"] == first["pid"]
    assert host.status()["state"] == "running"


def test_a_stop_of_a_server_that_never_ran_is_a_stop(host):
    assert host.stop() == {
        "was_killed": False,
        "orphans": [],
        "foreign": [],
        "port_is_free": True,
        "gpus_are_free": None,
    }
    assert host.status()["state"] == "absent"


def test_an_engine_that_is_killed_takes_its_server_along_with_exit_code_zero(host):
    host.serve()
    os.kill(host.engines()[0], signal.SIGKILL)

    until("health says so", lambda: host.probe("health")["status"] != 200)

    assert host.ended()["exit_code"] == 0
