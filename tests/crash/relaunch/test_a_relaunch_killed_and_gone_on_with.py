"""`kill -9` of a bot in the middle of a relaunch, with the durable engine on SQLite: the next one goes on.

A few moments; `make kill-matrix` kills at all of them.
"""

import asyncio
import signal

import pytest

from bot.relaunch.states import State
from tests.bot.relaunch.team import ANNA, BEN, wanted
from tests.crash.relaunch.killing import a_field, kill_and_count


@pytest.mark.parametrize(
    "moment", ["before-letter", "after-letter", "host:stop:done", "done:launch", "verifying", "host:restore"]
)
async def test_the_next_bot_goes_on_and_nothing_is_done_twice(tmp_path, moment):
    tally = await kill_and_count(tmp_path, moment, 1)

    assert tally.is_sound, str(tally)


async def test_a_bot_that_is_asked_to_end_leaves_the_run_for_the_next_one(tmp_path):
    async with a_field(tmp_path) as one:
        bot = await one.bot()
        await bot.says("leads", value=True)
        gate = one.host.gates["start"] = asyncio.Event()
        reached = one.host.reached["start"] = asyncio.Event()
        relaunch_id = await one.approved()
        await reached.wait()
        bot.process.stdin.close()
        await bot.process.wait()
        del one.host.gates["start"]
        gate.set()

        following = await one.bot()
        try:
            assert await one.ended(relaunch_id) is State.COMMITTED
        finally:
            await following.end()

        assert [effect.verb for effect in one.host.effects] == ["stop", "start", "commit"]


async def test_of_two_bots_one_leads_and_the_other_takes_over_when_it_dies(tmp_path):
    async with a_field(tmp_path) as one:
        first = await one.bot()
        await first.says("leads", value=True)
        second = await one.bot()
        await first.hold("launching")
        relaunch_id = await one.approved()
        await first.says("held", "launching")
        await first.end(signal.SIGKILL)
        try:
            await second.says("leads", value=True)
            assert await one.ended(relaunch_id) is State.COMMITTED
        finally:
            await second.end()

        assert [effect.verb for effect in one.host.effects] == ["stop", "start", "commit"]


async def test_a_double_click_on_two_bots_is_one_run(tmp_path):
    async with a_field(tmp_path) as one:
        bot = await one.bot()
        try:
            await bot.says("leads", value=True)
            asked = await asyncio.gather(*(one.team.desk.request(ANNA, wanted()) for _ in range(2)))
            relaunch_id = asked[0].relaunch.id
            plan_hash = next(outcome.plan.hash for outcome in asked if outcome.plan)
            clicks = await asyncio.gather(
                *(one.team.desk.approve(BEN, relaunch_id, plan_hash) for _ in range(6))
            )
            assert await one.ended(relaunch_id) is State.COMMITTED
        finally:
            await bot.end()

        assert {outcome.relaunch.id for outcome in asked} == {relaunch_id}
        assert [outcome.kind for outcome in clicks].count("approved") == 1
        assert [effect.verb for effect in one.host.effects] == ["stop", "start", "commit"]
