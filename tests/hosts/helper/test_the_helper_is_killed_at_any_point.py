"""The helper is killed before each thing that it does; asked again, it does what is left and nothing twice."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from adapters.hosts.helper.serving import answer
from tests.hosts.helper.gpu_host import BACKEND, GpuHost, HelperRefusedError, until

pytestmark = pytest.mark.slow
DYING = Path(__file__).with_name("dying.py")
SET = {"env_set": {BACKEND: "FLASH_ATTN"}}
#: no act has more steps than this
MOST_POINTS = 40


def is_killed(host: GpuHost, data: bytes, point: int, words: tuple[str, ...] = ("serve-request",)) -> bool:
    """Let a helper die at a point; False when it was done before."""
    argv = [sys.executable, "-I", "-S", str(DYING), str(point), str(host.program), *words]
    result = subprocess.run(
        argv, input=data, capture_output=True, env=host.environment(), timeout=120, check=False
    )
    assert result.returncode in (0, -signal.SIGKILL), result.stderr.decode()
    return result.returncode != 0


def at_every_point(new_host, prepare, request_of, check) -> int:
    """Go through all points of an act; return how many there were."""
    for point in range(1, MOST_POINTS):
        host = new_host()
        prepare(host)
        data = request_of(host)
        was_killed = is_killed(host, data, point)
        check(host, host.read(answer(data, host.environment())))
        host.clean()
        if not was_killed:
            return point - 1
    raise AssertionError("the act has no end")


def test_a_start(new_host):
    def check(host, result):
        status = host.serving()
        assert status["start_id"] == result["start_id"]
        assert status["running_spec_hash"] == result["spec_hash"]
        assert status["phase"] == "started"
        assert status["restores_in_seconds"] > 0
        assert [start["env"][BACKEND] for start in host.starts()] == ["FLASH_ATTN"]

    points = at_every_point(
        new_host, lambda host: None, lambda host: host.request("start", **host.start_request(SET)), check
    )

    # The way back, the order, the launch, the timer and its watcher, the supervisor, and the answer.
    assert points >= 9


@pytest.mark.parametrize("then", ["stop", "start"])
def test_a_newer_run_after_a_start_that_nobody_saw_through(new_host, then):
    for point in range(1, MOST_POINTS):
        host = new_host()
        was_killed = is_killed(host, host.request("start", **host.start_request(SET)), point)
        if not was_killed:
            break
        if then == "stop":
            host.stop(run=2)
            until("no supervisor is left", lambda host=host: host.supervisors() == [])
            assert host.processes() == []
        else:
            restarted = started_unless_running(host)
            status = host.serving()
            assert status["start_id"] == restarted or restarted is None
            assert len(host.engines()) == 1
        host.clean()

    assert point >= 9


def started_unless_running(host: GpuHost) -> str | None:
    """Start it in a run of its own; None when the start that nobody saw through runs already."""
    with contextlib.suppress(HelperRefusedError):
        return host.start(run=2)["start_id"]
    return None


def test_a_stop(new_host):
    def check(host, result):
        assert result["port_is_free"]
        assert host.processes() == []
        status = host.status()
        assert (status["state"], status["phase"]) == ("exited", "stopped")
        assert status["restores_in_seconds"] > 0
        # a second one may just be seeing that it is not needed
        until("one waits", lambda: len(host.watchers()) == 1)

    points = at_every_point(
        new_host,
        lambda host: host.serve(),
        lambda host: host.request(
            "stop", order=host.order("stop", 2), grace_seconds=10, restore_after_seconds=600
        ),
        check,
    )

    assert points >= 6


def test_a_commit(new_host):
    def prepare(host):
        host.start(SET)
        host.serving()

    def check(host, result):
        assert (result["phase"], result["state"]) == ("committed", "running")
        assert host.snapshot_env()[BACKEND] == "FLASH_ATTN"
        assert len(host.starts()) == 1
        assert host.status()["restores_in_seconds"] is None
        until("nothing waits any more", lambda: host.watchers() == [])

    points = at_every_point(
        new_host, prepare, lambda host: host.request("commit", order=host.order("commit")), check
    )

    assert points >= 4


def test_a_restore(new_host):
    def prepare(host):
        host.start(SET)
        host.serving()

    def check(host, result):
        status = host.serving()
        assert status["start_id"] == result["start_id"]
        assert (status["phase"], status["restores_in_seconds"]) == ("restored", None)
        assert [start["env"].get(BACKEND) for start in host.starts()] == ["FLASH_ATTN", None]
        assert len(host.engines()) == 1

    points = at_every_point(
        new_host,
        prepare,
        lambda host: host.request("restore", order=host.order("restore"), restore_after_seconds=600),
        check,
    )

    assert points >= 10


def test_a_restoration_by_the_timer(new_host):
    for point in range(1, MOST_POINTS):
        host = new_host()
        host.start(SET)
        host.serving()
        for pid in host.watchers():
            os.kill(pid, signal.SIGKILL)
        host.let_time_be_over()

        was_killed = is_killed(host, b"", point, ("deadman", host.name, "r1:start"))
        restored = host.restore()

        status = host.serving()
        assert status["start_id"] == restored["start_id"]
        assert (status["phase"], status["restores_in_seconds"]) == ("restored", None)
        assert BACKEND not in status["running"]["env"]
        assert len(host.engines()) == 1
        host.clean()
        if not was_killed:
            break

    assert point >= 9


def test_a_supervisor_that_is_killed_takes_nothing_with_it_and_the_server_can_still_be_stopped(new_host):
    host = new_host()
    started = host.start(SET)
    host.serving()
    for pid in host.supervisors():
        os.kill(pid, signal.SIGKILL)

    status = host.status()
    stopped = host.stop()

    assert (status["state"], status["pid"]) == ("running", started["pid"])
    assert stopped["port_is_free"]
    assert host.processes() == []
