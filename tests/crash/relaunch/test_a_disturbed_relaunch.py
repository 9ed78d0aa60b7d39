"""A relaunch is disturbed and comes to its end all the same: nothing twice, nothing lost, nothing wrong, all told.

A few moments of the matrix on SQLite, with the real helper where a name says so; `make kill-matrix` plays all of it.
"""

import pytest

from tests.crash.relaunch.grounds.local import process_ground
from tests.crash.relaunch.grounds.memory import memory_ground
from tests.crash.relaunch.matrix import Row, play


@pytest.fixture
async def processes(tmp_path):
    async with process_ground(tmp_path) as ground:
        yield ground


@pytest.mark.parametrize("moment", ["before-letter", "host:restore"])
async def test_the_next_bot_goes_on_where_one_was_killed(tmp_path, moment):
    async with memory_ground(tmp_path) as ground:
        tally = await play(tmp_path, ground, Row("kill", moment), 1)

    assert tally.is_sound, str(tally)


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["host:stop:done", "done:launch"])
async def test_the_next_bot_goes_on_with_a_real_server_where_one_was_killed(tmp_path, processes, moment):
    tally = await play(tmp_path, processes, Row("kill", moment), 1)

    assert tally.is_sound, str(tally)


@pytest.mark.slow
async def test_a_bot_that_was_stopped_and_replaced_does_nothing_when_it_wakes_up(tmp_path, processes):
    tally = await play(tmp_path, processes, Row("pause", "launching"), 1)

    assert tally.is_sound, str(tally)


@pytest.mark.slow
async def test_a_host_that_cannot_be_reached_for_a_while_is_asked_again(tmp_path, processes):
    tally = await play(tmp_path, processes, Row("part", "verifying"), 1)

    assert tally.is_sound, str(tally)


@pytest.mark.slow
async def test_a_helper_that_is_killed_before_its_act_is_asked_again(tmp_path, processes):
    tally = await play(tmp_path, processes, Row("kill-helper", "start@6"), 1)

    assert processes.door.was_killed
    assert tally.is_sound, str(tally)


@pytest.mark.slow
async def test_double_clicks_at_two_bots_are_one_run(tmp_path, processes):
    tally = await play(tmp_path, processes, Row("press-twice", "approved"), 1)

    assert tally.is_sound, str(tally)
