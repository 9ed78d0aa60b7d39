"""Letters reach the engine until it has them; what waits too long ends; runs that the engine gave up are not lost."""

from datetime import timedelta

import pytest

from bot.relaunch.durable.outbox import Feeder
from bot.relaunch.states import State
from bot.store.relaunches.interface import Move, Relaunch
from tests.bot.relaunch.team import ANNA, a_team, wanted


class Engine:
    """Remembers what it was told."""

    def __init__(self, *, fails=0) -> None:
        self.started: list[str] = []
        self.ended: set[str] = set()
        self.fails = fails

    async def start(self, relaunch_id: str) -> None:
        if self.fails:
            self.fails -= 1
            raise OSError("the engine is away")
        self.started.append(relaunch_id)

    async def has_ended(self, relaunch_id: str) -> bool:
        return relaunch_id in self.ended


async def test_a_letter_is_delivered_until_the_engine_has_it_and_then_never_again(tmp_path):
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()
        feeder, engine = Feeder(team.outbox, team.tools), Engine(fails=1)

        with pytest.raises(OSError, match="away"):
            await feeder.feed(engine)
        await feeder.feed(engine)
        await feeder.feed(engine)

        assert engine.started == [relaunch_id]


async def test_a_plan_that_nobody_approves_expires_and_says_so(tmp_path):
    async with a_team(tmp_path) as team:
        outcome = await team.desk.request(ANNA, wanted())
        feeder = Feeder(team.outbox, team.tools)

        await team.now.wait(1799)
        await feeder.feed(Engine())
        assert (await team.runs.get(outcome.relaunch.id)).state is State.AWAITING_APPROVAL
        await team.now.wait(1)
        await feeder.feed(Engine())

        assert (await team.runs.get(outcome.relaunch.id)).state is State.EXPIRED
        assert team.listener.news[-1].state is State.EXPIRED


async def test_a_plan_whose_making_was_interrupted_does_not_hold_its_server_for_ever(tmp_path):
    async with a_team(tmp_path) as team:
        asked_at = team.now()
        await team.runs.add(Relaunch("r1", "gpu-1", "qwen", State.REQUESTED, ANNA.id, "i1", "f1", asked_at))
        await team.now.wait(timedelta(minutes=10).total_seconds())

        await Feeder(team.outbox, team.tools).feed(Engine())

        assert (await team.runs.get("r1")).state is State.VOIDED
        assert (await team.desk.request(ANNA, wanted())).kind == "planned"


@pytest.mark.parametrize(
    ("state", "end"), [(State.LOCKED, State.VOIDED), (State.STARTING, State.ROLLBACK_FAILED)]
)
async def test_a_run_that_the_engine_gave_up_is_ended_and_a_person_is_told(tmp_path, state, end):
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()
        path = (State.LOCKED, State.STOPPING, State.GPU_FREE, State.LAUNCHING, State.STARTING)
        for one in path[: path.index(state) + 1]:
            await team.runs.move(Move(relaunch_id, one, team.now()))
        engine = Engine()
        engine.ended.add(relaunch_id)

        await Feeder(team.outbox, team.tools).reconcile(engine)

        run = await team.runs.get(relaunch_id)
        assert run.state is end
        assert "broke off" in run.detail
        assert (end is State.ROLLBACK_FAILED) == ("A person has to look" in run.detail)
        assert (await team.journalled())[-1]["detail"] == run.detail


async def test_a_run_that_the_engine_does_not_know_is_begun_and_what_waits_for_people_is_left_alone(tmp_path):
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()
        await team.runs.add(
            Relaunch("r9", "gpu-2", "llama", State.AWAITING_APPROVAL, ANNA.id, "i1", "f1", team.now())
        )
        engine = Engine()

        await Feeder(team.outbox, team.tools).reconcile(engine)

        assert engine.started == [relaunch_id]
