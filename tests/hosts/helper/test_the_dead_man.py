"""Nobody came back: the host restores the launch that was registered before, unless it was kept in time."""

import fcntl
import os
import signal
import threading

import pytest

from adapters.hosts.helper.deadman.firing import watch
from adapters.hosts.helper.host.allowlist import read_allowlist
from adapters.hosts.helper.processes import proc
from tests.hosts.helper.gpu_host import BACKEND, HelperRefusedError, until

SET = {"env_set": {BACKEND: "FLASH_ATTN"}}


def is_restored(host):
    return host.record()["phase"] == "restored" and host.watchers() == []


def test_a_server_that_was_stopped_and_never_started_comes_back(host):
    host.serve()
    host.stop(run=2, after_s=0.5)

    until("the host restores it", lambda: is_restored(host))

    assert host.serving()["restores_in_seconds"] is None
    assert len(host.starts()) == 2


def test_a_new_launch_that_nobody_kept_is_undone(host):
    host.serve()
    host.stop(run=2)
    host.start(SET, run=2)
    host.serving()
    host.let_time_be_over()

    until("the host restores it", lambda: is_restored(host))

    assert BACKEND not in host.serving()["running"]["env"]
    assert [start["env"].get(BACKEND) for start in host.starts()] == [None, "FLASH_ATTN", None]
    assert len(host.engines()) == 1


def test_a_launch_that_was_kept_stays(host):
    host.serve()
    host.stop(run=2)
    host.start(SET, run=2)
    before = host.serving()
    host.commit(run=2)

    until("nobody waits any more", lambda: host.watchers() == [])

    assert before["restores_in_seconds"] > 0
    assert host.status()["restores_in_seconds"] is None
    assert host.status()["pid"] == before["pid"]
    assert host.record()["phase"] == "committed"


def test_each_order_of_a_run_sets_the_time_anew_and_one_process_waits(host):
    host.serve()
    host.stop(run=2, after_s=100)
    assert host.status()["restores_in_seconds"] <= 100

    started = host.start(SET, run=2, after_s=900)

    assert 800 < started["restores_in_seconds"] <= 900
    assert len(host.watchers()) == 1


def test_the_bot_that_comes_too_late_cannot_keep_what_is_gone_and_learns_that_it_was_restored(host):
    host.serve()
    host.stop(run=2)
    host.start(SET, run=2)
    host.serving()
    host.let_time_be_over()
    until("the host restores it", lambda: is_restored(host))

    with pytest.raises(HelperRefusedError) as refusal:
        host.commit(run=2)
    restored = host.restore(run=2)

    assert refusal.value.code == "changed"
    assert restored["start_id"] == host.serving()["start_id"]
    assert len(host.starts()) == 3


def test_the_one_who_waits_lives_in_a_session_of_its_own(host):
    host.serve()
    host.stop(run=2)

    watcher = proc.read(host.watchers()[0])

    assert watcher.sid == watcher.pid
    assert proc.environ(watcher.pid).keys() <= {"PATH", "XDG_RUNTIME_DIR"}


def test_a_watcher_that_was_killed_is_replaced_by_the_next_order(host):
    host.serve()
    host.stop(run=2)
    os.kill(host.watchers()[0], signal.SIGKILL)
    until("it is gone", lambda: host.watchers() == [])

    host.start(SET, run=2)

    assert len(host.watchers()) == 1


def test_a_look_whether_somebody_waits_turns_nobody_away_who_is_about_to(host):
    host.serve()
    host.stop(run=2)
    os.kill(host.watchers()[0], signal.SIGKILL)
    until("it is gone", lambda: host.watchers() == [])
    host.let_time_be_over()
    looking = (host.state / host.name / "deadman.lock").open("rb")
    fcntl.flock(looking, fcntl.LOCK_EX)
    threading.Timer(0.1, looking.close).start()

    assert watch(read_allowlist(host.environment()), host.name) == 0

    assert host.record()["phase"] == "restored"
    host.serving()


def test_the_time_that_a_manager_keeps_restores_as_well_and_does_nothing_when_it_is_not_due(host):
    host.serve()
    host.stop(run=2)
    os.kill(host.watchers()[0], signal.SIGKILL)

    assert host.run("deadman", host.name, "r2:stop").returncode == 0
    assert host.record()["phase"] == "stopped"
    host.let_time_be_over()
    assert host.run("deadman", host.name, "r2:stop").returncode == 0

    assert host.record()["phase"] == "restored"
    host.serving()
