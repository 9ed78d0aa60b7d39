"""A host that breaks its promises makes a row that is not sound: the table can tell."""

import pytest

from tests.crash.relaunch.grounds.local import process_ground
from tests.crash.relaunch.grounds.memory import MemoryGround, memory_ground
from tests.crash.relaunch.matrix import Row, play
from tests.fakes.host import FakeHost


class Forgetful(dict):
    """Keeps nothing."""

    def __setitem__(self, key, value) -> None:
        del key, value


class ForgetfulHost(FakeHost):
    """Does an order again each time it is asked."""

    def __post_init__(self):
        super().__post_init__()
        self.outcomes = Forgetful()


class FailingHost(FakeHost):
    """Its server is gone once it is kept."""

    async def commit(self, order):
        kept = await super().commit(order)
        self.process.is_dead = True
        return kept


def a_ground_of(kind, tmp_path):
    class Broken(MemoryGround):
        make_host = staticmethod(kind)

    return memory_ground(tmp_path, Broken)


async def test_an_order_that_is_done_twice_is_counted(tmp_path):
    async with a_ground_of(ForgetfulHost, tmp_path) as ground:
        tally = await play(tmp_path, ground, Row("lose-answer", "start"), 1)

    assert tally.double_effects == 1
    assert not tally.is_sound


async def test_a_server_that_is_called_fixed_and_does_not_run_is_counted(tmp_path):
    async with a_ground_of(FailingHost, tmp_path) as ground:
        tally = await play(tmp_path, ground, Row("kill", "committed"), 1)

    assert tally.wrong_verified == 1
    assert not tally.is_sound


@pytest.mark.slow
async def test_a_second_server_on_a_real_host_is_seen(tmp_path):
    async with process_ground(tmp_path) as ground:
        await ground.renew(0, lies=False)
        before = await ground.seen("r1")
        ground.host.stop(run=2)
        ground.host.start({"env_unset": ["VLLM_ATTENTION_BACKEND"]}, run=2)
        once = await ground.seen("r2")
        ground.host.stop(run=3)
        ground.host.start({"env_unset": ["VLLM_ATTENTION_BACKEND"]}, run=3)
        twice = await ground.seen("r3")

    assert (before.effects, before.running) == ({}, ())
    assert (once.effects, once.running) == ({"stop": 1, "start": 1}, (True,))
    assert twice.effects["start"] == 2
    assert twice.left == ()
