"""How long people waited for each part of a relaunch."""

from datetime import timedelta

from bot.relaunch.states import State
from bot.telemetry.measures import Measures, measure
from tests.bot.relaunch.team import NOON


def test_the_parts_from_paste_to_verified_are_told_apart():
    seconds = {State.REQUESTED: 30, State.APPROVED: 90, State.HEALTHY: 300, State.COMMITTED: 345}
    reached = {state: NOON + timedelta(seconds=at) for state, at in seconds.items()}

    found = measure(reached, NOON, NOON + timedelta(seconds=1))

    assert found == Measures(1.0, 29.0, 60.0, 210.0, 45.0, 345.0)


def test_what_never_came_is_not_measured_and_no_clock_makes_it_negative():
    found = measure({State.APPROVED: NOON, State.HEALTHY: NOON - timedelta(seconds=3)})

    assert found == Measures(None, None, None, 0.0, None, None)
