"""When a relaunch has to wait, and until when: each reason says how it lifts, and lifts then."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.relaunch.gating.gate import may_plan, may_run
from bot.relaunch.gating.pace import COOL_DOWNS
from bot.relaunch.gating.wish import PastRun, Switches, Wish
from bot.relaunch.states import TERMINAL, BlockReason, State
from tests.bot.relaunch.team import NOON

OPEN = Switches(is_enabled=True, is_dry_run=False)
MINUTE = timedelta(minutes=1)


def wish(*past, **values) -> Wish:
    settings = {
        "id": "now",
        "host": "gpu-1",
        "server": "qwen",
        "person": "anna",
        "fingerprint": "f1",
        "per_hour": 10,
        "past": past,
    }
    return Wish(**{**settings, **values})


def ended(minutes_ago: float, state=State.ROLLED_BACK, **values) -> PastRun:
    at = NOON - minutes_ago * MINUTE
    settings = {
        "id": f"r{minutes_ago}",
        "host": "gpu-1",
        "server": "qwen",
        "person": "ben",
        "fingerprint": "other",
        "state": state,
        "asked_at": at,
        "ended_at": at,
        "touched": True,
    }
    return PastRun(**{**settings, **values})


def reason(blocked):
    return blocked.reason if blocked else None


def test_nothing_happens_until_an_operator_switches_it_on():
    assert reason(may_plan(wish(), Switches(), NOON)) is BlockReason.SWITCHED_OFF
    assert reason(may_run(wish(), Switches(), NOON)) is BlockReason.SWITCHED_OFF


def test_a_dry_run_plans_and_does_nothing():
    dry = Switches(is_enabled=True)

    assert may_plan(wish(), dry, NOON) is None
    assert reason(may_run(wish(), dry, NOON)) is BlockReason.DRY_RUN


def test_the_kill_switch_stands_before_everything_else():
    off = replace(OPEN, is_enabled=False)

    assert reason(may_run(wish(ended(0)), off, NOON)) is BlockReason.SWITCHED_OFF


def test_an_open_run_of_the_server_is_a_duplicate_and_that_of_another_is_none():
    running = ended(5, State.STARTING, ended_at=None)

    assert reason(may_plan(wish(running), OPEN, NOON)) is BlockReason.DUPLICATE
    assert may_plan(wish(replace(running, server="llama")), OPEN, NOON) is None
    assert may_plan(wish(replace(running, id="now")), OPEN, NOON) is None


def test_a_server_that_serves_is_left_alone_unless_forced():
    assert reason(may_plan(wish(is_serving=True), OPEN, NOON)) is BlockReason.HEALTHY
    assert may_plan(wish(is_serving=True, is_forced=True), OPEN, NOON) is None


def test_two_failures_of_one_fingerprint_within_an_hour_are_enough():
    first, second = ended(50, fingerprint="f1"), ended(20, fingerprint="f1")

    blocked = may_plan(wish(first, second), OPEN, NOON)

    assert reason(blocked) is BlockReason.REPEATED_FAILURE
    assert blocked.lifts_at == NOON + 10 * MINUTE
    assert may_plan(wish(first, second), OPEN, blocked.lifts_at) is None
    assert may_plan(wish(second), OPEN, NOON) is None
    assert may_plan(wish(first, replace(second, fingerprint="f2")), OPEN, NOON) is None
    assert may_plan(wish(first, replace(second, state=State.COMMITTED)), OPEN, NOON) is None
    assert may_plan(wish(first, replace(second, server="llama")), OPEN, NOON) is None


@pytest.mark.parametrize("failures", [1, 2, 3])
def test_each_relaunch_that_did_not_help_makes_the_next_wait_longer(failures):
    past = [ended(0.5 + number) for number in range(failures)]

    blocked = may_run(wish(*past), OPEN, NOON)

    assert reason(blocked) is BlockReason.COOLING_DOWN
    assert blocked.lifts_at == past[0].ended_at + COOL_DOWNS[failures - 1]
    assert may_run(wish(*past), OPEN, blocked.lifts_at) is None


def test_after_the_last_a_person_has_to_look():
    past = [ended(60 * number + 30) for number in range(4)]

    blocked = may_run(wish(*past), OPEN, NOON)

    assert reason(blocked) is BlockReason.COOLING_DOWN
    assert "a person has to look" in blocked.detail
    assert blocked.lifts_at > NOON + timedelta(hours=20)


def test_one_that_helped_starts_the_count_anew():
    past = [ended(10), ended(8), ended(6), ended(0.5, State.COMMITTED)]

    blocked = may_run(wish(*past), OPEN, NOON)

    assert blocked.lifts_at == past[-1].ended_at + COOL_DOWNS[0]


def test_what_touched_nothing_and_other_hosts_do_not_count():
    past = [ended(0.1, State.VOIDED, touched=False), ended(0.1, host="gpu-2", server="llama")]

    assert may_run(wish(*past), OPEN, NOON) is None


def test_a_server_has_so_many_relaunches_in_an_hour():
    past = [ended(50, State.COMMITTED), ended(30, State.COMMITTED)]

    blocked = may_run(wish(*past, per_hour=2), OPEN, NOON)

    assert reason(blocked) is BlockReason.HOST_RATE
    assert blocked.lifts_at == NOON + 10 * MINUTE
    assert may_run(wish(*past, per_hour=3), OPEN, NOON) is None


def test_a_person_asks_for_so_many_in_an_hour():
    past = [ended(10 * n + 5, State.REJECTED, person="anna", touched=False, server="x") for n in range(5)]

    blocked = may_plan(wish(*past), replace(OPEN, per_person_an_hour=3), NOON)

    assert reason(blocked) is BlockReason.PERSON_RATE
    assert blocked.lifts_at == NOON + 35 * MINUTE
    assert may_plan(wish(*past, person="cora"), replace(OPEN, per_person_an_hour=3), NOON) is None


def refused(minutes_ago: float, state, **values) -> PastRun:
    settings = {"person": "anna", "touched": False, "has_plan": False}
    return ended(minutes_ago, state, **{**settings, **values})


@pytest.mark.parametrize("state", [State.PREFLIGHT_FAILED, State.VOIDED])
def test_what_was_refused_before_a_plan_stood_is_not_among_what_a_person_may_ask_for(state):
    three = replace(OPEN, per_person_an_hour=3)
    past = [refused(10 * n + 5, state) for n in range(5)]

    assert may_plan(wish(*past), three, NOON) is None
    # one that was called off with its plan, and one that is still being planned, do count
    assert reason(may_plan(wish(*[replace(run, has_plan=True) for run in past]), three, NOON)) is (
        BlockReason.PERSON_RATE
    )
    open_ones = [replace(run, state=State.REQUESTED, ended_at=None, server="x") for run in past]
    assert reason(may_plan(wish(*open_ones), three, NOON)) is BlockReason.PERSON_RATE


def test_a_flood_of_requests_that_are_refused_is_stopped_too():
    past = [refused(n + 1, State.PREFLIGHT_FAILED) for n in range(30)]
    three = replace(OPEN, per_person_an_hour=3)

    blocked = may_plan(wish(*past), three, NOON)

    assert reason(blocked) is BlockReason.PERSON_RATE
    assert "30" in blocked.detail
    assert blocked.lifts_at == NOON + 30 * MINUTE
    assert may_plan(wish(*past), three, blocked.lifts_at) is None
    assert may_plan(wish(*past[1:]), three, NOON) is None
    assert may_plan(wish(*past, person="cora"), three, NOON) is None


def test_a_maintenance_window_blocks_the_run_and_not_the_plan():
    ends = NOON + timedelta(hours=2)

    blocked = may_run(wish(maintenance_ends=ends), OPEN, NOON)

    assert (reason(blocked), blocked.lifts_at) == (BlockReason.MAINTENANCE, ends)
    assert may_plan(wish(maintenance_ends=ends), OPEN, NOON) is None


PAST = st.builds(
    ended,
    st.floats(0, 3000, width=16),
    st.sampled_from(sorted(TERMINAL)),
    fingerprint=st.sampled_from(["f1", "f2"]),
    server=st.sampled_from(["qwen", "llama"]),
    person=st.sampled_from(["anna", "ben"]),
    has_plan=st.booleans(),
)


@given(st.lists(PAST, max_size=12), st.integers(1, 4), st.sampled_from([may_plan, may_run]))
def test_what_lifts_by_itself_lifts_at_the_time_it_said_or_names_a_later_one(past, per_hour, ask):
    now = NOON
    for _ in range(40):
        blocked = ask(wish(*past, per_hour=per_hour), OPEN, now)
        if blocked is None:
            return
        assert blocked.detail
        assert blocked.lifts_when
        assert blocked.lifts_at is not None
        assert blocked.lifts_at > now
        now = blocked.lifts_at

    pytest.fail("it never lifts")


REPLICAS = {"replicas": frozenset({"qwen-b"}), "fix": "unset-variable"}


def of_replica(minutes_ago: float, state, **values) -> PastRun:
    settings = {"host": "gpu-2", "server": "qwen-b", "fingerprint": "f1", "fix": "unset-variable"}
    return ended(minutes_ago, state, **{**settings, **values})


@pytest.mark.parametrize("state", [State.LOCKED, State.STARTING, State.VERIFYING, State.HOST_UNKNOWN])
def test_a_server_waits_while_another_of_its_model_is_down_and_goes_on_afterwards(state):
    running = of_replica(5, state, ended_at=None)

    blocked = may_run(wish(running, **REPLICAS), OPEN, NOON)

    assert reason(blocked) is BlockReason.REPLICA
    assert "qwen-b" in blocked.detail
    # it may be planned and approved meanwhile
    assert may_plan(wish(running, **REPLICAS), OPEN, NOON) is None
    done = replace(running, state=State.COMMITTED, ended_at=NOON)
    assert may_run(wish(done, **REPLICAS), OPEN, NOON) is None
    # another model's server is none of its business
    assert may_run(wish(running), OPEN, NOON) is None


@pytest.mark.parametrize("state", [State.APPROVED, State.BLOCKED, State.AWAITING_APPROVAL])
def test_a_replica_that_has_not_begun_holds_nothing(state):
    assert may_run(wish(of_replica(5, state, ended_at=None, touched=False), **REPLICAS), OPEN, NOON) is None


@pytest.mark.parametrize("may", [may_plan, may_run])
@pytest.mark.parametrize("state", [State.ROLLED_BACK, State.ROLLBACK_FAILED])
def test_a_change_that_did_not_help_a_replica_is_not_tried_on_the_next_for_an_hour(may, state):
    failed = of_replica(20, state)

    blocked = may(wish(failed, **REPLICAS), OPEN, NOON)

    assert reason(blocked) is BlockReason.REPLICA_FAILED
    assert "did not help qwen-b" in blocked.detail
    assert blocked.lifts_at == NOON + 40 * MINUTE
    assert may(wish(failed, **REPLICAS), OPEN, blocked.lifts_at) is None
    assert may(wish(failed, **REPLICAS, is_forced=True), OPEN, NOON) is None
    assert may(wish(replace(failed, fix="another"), **REPLICAS), OPEN, NOON) is None
    assert may(wish(replace(failed, fingerprint="other"), **REPLICAS), OPEN, NOON) is None


def test_what_was_asked_for_before_a_replica_failed_is_not_carried_out_even_when_forced():
    queued = {"asked_at": NOON - 30 * MINUTE, "is_forced": True, **REPLICAS}

    assert reason(may_run(wish(of_replica(20, State.ROLLED_BACK), **queued), OPEN, NOON)) is (
        BlockReason.REPLICA_FAILED
    )
