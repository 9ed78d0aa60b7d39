"""The same key is the same act for ever: asked again, by whomever, it is done once and answered alike."""

import subprocess

import pytest

from tests.hosts.helper.gpu_host import BACKEND, HelperRefusedError, until

SET = {"env_set": {BACKEND: "FLASH_ATTN"}}


def test_a_start_asked_twice_is_one_start(host):
    first = host.start()
    host.serving()

    again = host.ask("start", **host.start_request())

    assert {**again, "restores_in_seconds": 0} == {**first, "restores_in_seconds": 0}
    assert len(host.starts()) == 1


def test_a_start_asked_again_after_its_server_died_starts_nothing(host):
    host.list_server("--standin-dies-after=0")
    first = host.start()
    host.ended()

    again = host.ask("start", **host.start_request())

    assert again["start_id"] == first["start_id"]
    assert len(host.starts()) == 1


def test_a_stop_asked_twice_ends_one_server_and_answers_the_same(host):
    host.serve()
    first = host.stop(run=2)

    assert host.stop(run=2) == first
    assert host.status()["state"] == "exited"


def test_a_late_copy_of_the_stop_does_not_end_the_server_that_was_started_since(host):
    host.serve()
    host.stop(run=2)
    host.start(SET, run=2)
    host.serving()

    host.stop(run=2)

    assert host.status()["state"] == "running"


def test_a_restore_asked_twice_is_one_start(host):
    host.serve()
    host.stop(run=2)
    host.start(SET, run=2)
    host.serving()
    first = host.restore(run=2)
    host.serving()

    assert host.restore(run=2) == first
    assert len(host.starts()) == 3


def test_a_commit_asked_twice_keeps_one_launch(host):
    host.start(SET)
    host.serving()
    first = host.commit()

    assert host.commit() == first
    assert host.snapshot_env()[BACKEND] == "FLASH_ATTN"


def test_many_helpers_with_one_order_make_one_start_and_one_answer(host):
    data = host.request("start", **host.start_request())
    running = [
        subprocess.Popen(
            host.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=host.environment()
        )
        for _ in range(4)
    ]
    for one in running:
        one.stdin.write(data)
        one.stdin.close()
    answers = [one.stdout.read() for one in running]
    for one in running:
        one.stdout.close()
        assert one.wait(60) == 0
    host.serving()

    assert {host.read(answer)["start_id"] for answer in answers} == {host.status()["start_id"]}
    assert len(host.starts()) == 1


def test_two_runs_at_once_never_have_two_servers(host):
    requests = [host.request("start", **host.start_request(run=run)) for run in (1, 2)]
    running = [
        subprocess.Popen(
            host.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=host.environment()
        )
        for _ in requests
    ]
    for one, data in zip(running, requests, strict=True):
        one.stdin.write(data)
        one.stdin.close()
    codes = []
    for one in running:
        try:
            host.read(one.stdout.read())
        except HelperRefusedError as refusal:
            codes.append(refusal.code)
        one.stdout.close()
        one.wait(60)
    host.serving()

    # Whichever came first won: the older run was followed by the newer, or the newer found a server running.
    assert codes in (["fenced"], ["unable"])
    assert len(host.starts()) == 1


def test_an_order_that_another_has_overtaken_is_not_begun_anew(host):
    host.serve()
    host.stop(run=2)
    host.start(SET, run=2)
    host.serving()
    (host.state / host.name / "outcomes.json").unlink()

    with pytest.raises(HelperRefusedError, match="overtaken") as refusal:
        host.stop(run=2)

    assert refusal.value.code == "changed"
    assert host.status()["state"] == "running"


def test_a_helper_waits_for_another_that_is_at_work_on_the_same_order(host):
    host.list_server("--standin-faults=ignores-term")
    host.serve()
    data = host.request("stop", order=host.order("stop", 2), grace_seconds=1.5, restore_after_seconds=600)
    first = subprocess.Popen(
        host.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=host.environment()
    )
    first.stdin.write(data)
    first.stdin.close()
    until("the first is at work", lambda: host.record()["phase"] == "stopping")

    second = host.send(data)["result"]

    assert second["was_killed"]
    assert host.read(first.stdout.read()) == second
    first.stdout.close()
    first.wait(60)
