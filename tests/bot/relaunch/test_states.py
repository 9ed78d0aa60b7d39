"""Which states may follow which: nothing is called good unproven, nothing touched is left without a way back."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.relaunch.states import MOVES, ON_THE_HOST, TERMINAL, TOUCHED, State, may_move

STATES = st.sampled_from(list(State))


def walk(choices) -> list[tuple[State, State | None]]:
    """Follow choices through the table as a store would, remembering what an unknown host was held in."""
    state, held = State.REQUESTED, None
    path = [(state, held)]
    for wanted in choices:
        if may_move(state, wanted, held):
            held = state if wanted is State.HOST_UNKNOWN else None
            state = wanted
            path.append((state, held))
    return path


@given(st.lists(STATES, max_size=60))
def test_no_path_leads_to_committed_without_verifying_right_before(choices):
    path = walk(choices)

    for place, (state, _) in enumerate(path):
        if state is State.COMMITTED:
            before, held = path[place - 1]
            assert State.VERIFYING in (before, held)
            seen = {one for one, _ in path[:place]}
            assert {State.APPROVED, State.LOCKED, State.STOPPING, State.STARTING, State.HEALTHY} <= seen


@given(st.lists(STATES, max_size=60))
def test_an_unknown_host_never_lets_a_run_skip_a_state(choices):
    path = walk(choices)

    real = [held or state for state, held in path]
    for before, after in pairwise(real):
        assert before == after or after in MOVES[before]


@given(st.lists(STATES, max_size=60))
def test_nothing_follows_an_end(choices):
    path = walk(choices)

    assert not any(state in TERMINAL for state, _ in path[:-1])


@pytest.mark.parametrize("state", sorted(TOUCHED))
def test_whatever_was_touched_can_only_end_committed_or_back(state):
    reached, todo = set(), [state]
    while todo:
        for following in MOVES[todo.pop()]:
            if following not in reached:
                reached.add(following)
                todo.append(following)

    assert reached & TERMINAL <= {State.COMMITTED, State.ROLLED_BACK, State.ROLLBACK_FAILED}
    assert state is State.ROLLING_BACK or State.ROLLING_BACK in MOVES[state]


def test_every_state_is_in_the_table_and_can_be_reached():
    reached = {state for following in MOVES.values() for state in following} | {State.REQUESTED}

    assert set(MOVES) == set(State)
    assert reached | {State.HOST_UNKNOWN} == set(State)


@pytest.mark.parametrize("state", sorted(ON_THE_HOST))
def test_a_host_that_answers_again_takes_the_run_back_to_where_it_was(state):
    assert may_move(state, State.HOST_UNKNOWN)
    assert may_move(State.HOST_UNKNOWN, state, state)
    assert not may_move(State.HOST_UNKNOWN, state)


def test_an_unknown_host_is_no_end():
    assert State.HOST_UNKNOWN not in TERMINAL
    assert State.BLOCKED not in TERMINAL
