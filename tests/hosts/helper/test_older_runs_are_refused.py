"""Only the newest run may act, and only while it is open."""

import pytest

from tests.hosts.helper.gpu_host import BACKEND, HelperRefusedError

SET = {"env_set": {BACKEND: "FLASH_ATTN"}}


def refused(code: str, act, *arguments, **named):
    with pytest.raises(HelperRefusedError) as refusal:
        act(*arguments, **named)
    assert refusal.value.code == code
    assert refusal.value.what
    return refusal.value


def test_every_act_of_an_older_run_is_fenced_even_one_that_was_done_before(host):
    host.serve(run=3)
    host.stop(run=4)

    for act in (host.stop, host.commit, host.restore):
        refused("fenced", act, run=3)
    refused("fenced", host.ask, "start", **{**host.start_request(), "order": host.order("start", 2)})
    assert host.status()["fence"] == 4


def test_the_fence_never_goes_down_and_survives_the_run(host):
    host.serve(run=7)

    refused("fenced", host.stop, run=6)
    host.stop(run=8)
    host.restore(run=8)
    refused("fenced", host.stop, run=7)


def test_two_relaunches_with_one_number_are_told_apart(host):
    host.serve()
    host.stop(run=2)

    order = {"server": host.name, "key": "other:stop", "fence": 2}
    refused("busy", host.ask, "stop", order=order, grace_seconds=1, restore_after_seconds=9)


def test_a_run_that_was_kept_cannot_stop_or_undo_any_more(host):
    host.serve()

    refused("changed", host.stop)
    refused("changed", host.restore)
    assert host.status()["state"] == "running"


def test_a_preflight_of_an_older_run_says_so_and_changes_nothing(host):
    host.serve(run=5)
    before = host.record()

    found = host.preflight(run=4)

    assert [check["name"] for check in found["checks"] if not check["is_sound"]] == ["order"]
    assert host.record() == before


def test_a_new_run_takes_over_from_one_that_was_left_open_and_keeps_its_way_back(host):
    host.serve()
    host.stop(run=2)
    host.start(SET, run=2)
    host.serving()

    host.stop(run=3)
    host.restore(run=3)

    assert BACKEND not in host.serving()["running"]["env"]


def test_a_start_of_another_launch_than_was_planned_is_refused(host):
    request = host.start_request(SET)
    host.list_server("--max-model-len=4096")

    assert "plan anew" in refused("changed", host.ask, "start", **request).next_step
    assert host.starts() == []
    assert host.status()["phase"] == "idle"


def test_a_server_that_runs_is_not_started_a_second_time(host):
    host.serve()

    assert "stop it first" in refused("unable", host.start, run=2).next_step
    assert len(host.starts()) == 1


def test_nothing_is_kept_that_does_not_run(host):
    host.list_server("--standin-dies-after=0")
    host.start()
    host.ended()

    refused("changed", host.commit)


def test_a_launch_that_was_kept_holds_until_the_owner_writes_another(host):
    host.start(SET)
    host.serving()
    host.commit()
    assert host.snapshot_env()[BACKEND] == "FLASH_ATTN"

    host.list_server("--max-model-len=4096")

    snapshot = host.ask("snapshot", server=host.name)
    assert "--max-model-len=4096" in snapshot["launch"]["argv"]
    assert BACKEND not in snapshot["launch"]["env"]
