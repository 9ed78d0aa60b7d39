"""A relaunch of a container and of a unit is disturbed and comes to its end all the same.

A few moments of the matrix; `make kill-matrix` plays all of it.
"""

import tempfile
from pathlib import Path

import pytest

from tests.crash.relaunch.grounds.local import docker_ground
from tests.crash.relaunch.grounds.machine import systemd_ground
from tests.crash.relaunch.matrix import Row, play
from tests.hosts.docker import engine
from tests.hosts.systemd import machine

pytestmark = [pytest.mark.root, pytest.mark.slow]


@pytest.fixture
def place():
    # the path of an engine's socket must be short
    with tempfile.TemporaryDirectory(prefix="ground-") as folder:
        yield Path(folder)


@pytest.mark.skipif(engine.missing() is not None, reason=str(engine.missing()))
async def test_a_container_is_relaunched_once_whatever_happens_to_bot_and_helper(place, tmp_path):
    rows = [
        Row("kill", "host:start:done"),
        Row("kill", "rolling_back"),
        Row("part", "stopping"),
        Row("pause", "launching"),
        Row("kill-helper", "start@8"),
    ]
    async with docker_ground(place) as ground:
        await _play_all(tmp_path, ground, rows)


@pytest.mark.skipif(machine.missing() is not None, reason=str(machine.missing()))
async def test_a_unit_is_relaunched_once_whatever_happens_to_bot_and_helper(place, tmp_path):
    rows = [
        Row("kill", "stopping"),
        Row("kill", "host:commit"),
        Row("part", "starting"),
        Row("pause", "verifying"),
        Row("kill-helper", "start@8"),
    ]
    async with systemd_ground(place) as ground:
        await _play_all(tmp_path, ground, rows)


async def _play_all(tmp_path, ground, rows):
    for number, row in enumerate(rows):
        folder = tmp_path / f"row-{number}"
        folder.mkdir()

        tally = await play(folder, ground, row, 1)

        assert tally.is_sound, str(tally)
        assert row.name != "kill-helper" or ground.door.was_killed
