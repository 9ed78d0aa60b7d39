"""Servers of one model on several machines: one after the other, and none after one that it did not help."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from bot.hosts.registry import Registry
from bot.relaunch.chat.actions import PICK
from bot.relaunch.outcomes import OutcomeKind
from bot.relaunch.states import BlockReason, State
from bot.triage.card import RELAUNCH
from tests.bot.relaunch.asking import PASTE, Street, press, said, where, who
from tests.bot.relaunch.team import (
    ANNA,
    BEN,
    CHANNEL,
    EVE,
    Memory,
    a_policy,
    a_registry,
    a_team,
    quick,
    wanted,
)
from tests.fakes.host import Behaviour, FakeHost

NAMES = {"qwen-a": "gpu-1", "qwen-b": "gpu-2"}


@asynccontextmanager
async def two_machines(folder):
    """A team with a server of the same model on each of two machines."""
    (host,) = a_registry(channels=frozenset({CHANNEL})).hosts
    hosts = [
        replace(host, name=machine, servers=(replace(host.servers[0], name=name),))
        for name, machine in NAMES.items()
    ]
    async with a_team(folder, registry=Registry(tuple(hosts), a_policy())) as team:
        team.machines = {
            machine: FakeHost(team.now, name=machine, server=name) for name, machine in NAMES.items()
        }
        team.find_host = team.machines.__getitem__
        quick(team, host=team.find_host)
        yield team


async def when(team, run_id, is_there, patience=2_000):
    """Let others have their turn until a run is there."""
    for _ in range(patience):
        run = await team.runs.get(run_id)
        if is_there(run):
            return run
        await asyncio.sleep(0)
    raise AssertionError(f"{run.state}: {run.detail}")


async def test_the_second_waits_for_the_first_and_both_are_verified(tmp_path):
    async with two_machines(tmp_path) as team:
        first, second = [await team.approved(server=name) for name in NAMES]
        gate = team.machines["gpu-1"].gates["start"] = asyncio.Event()
        team.machines["gpu-1"].reached["start"] = asyncio.Event()

        one = asyncio.create_task(team.run(first))
        await team.machines["gpu-1"].reached["start"].wait()
        two = asyncio.create_task(team.run(second))
        waiting = await when(team, second, lambda run: run.state is State.BLOCKED)

        assert "of qwen-a, which serves the same model, goes on" in waiting.detail
        assert team.machines["gpu-2"].effects == []
        gate.set()
        assert (await one, await two) == ("committed", "committed")
        states = [moment.state for moment in await team.runs.moments(second)]
        assert states.count(State.BLOCKED) >= 1


async def test_none_is_touched_after_one_that_the_change_did_not_help(tmp_path):
    async with two_machines(tmp_path) as team:
        first, second = [await team.approved(server=name) for name in NAMES]
        team.machines["gpu-1"].behave = lambda env: Behaviour(log=("no",), exit_code=1)
        gate = team.machines["gpu-1"].gates["start"] = asyncio.Event()
        team.machines["gpu-1"].reached["start"] = asyncio.Event()

        one = asyncio.create_task(team.run(first))
        await team.machines["gpu-1"].reached["start"].wait()
        two = asyncio.create_task(team.run(second))
        await when(team, second, lambda run: run.state is State.BLOCKED)
        gate.set()

        assert await one in {"rolled_back", "rollback_failed"}
        assert await two == "voided"
        ended = await team.runs.get(second)
        assert "did not help qwen-a" in ended.detail
        assert "qwen-b is not touched" in ended.detail
        assert team.machines["gpu-2"].effects == []

        again = await team.desk.request(ANNA, wanted(server="qwen-b"))
        assert (again.kind, again.blocked.reason) == (OutcomeKind.BLOCKED, BlockReason.REPLICA_FAILED)
        forced = await team.desk.request(ANNA, wanted(server="qwen-b", is_forced=True))
        assert forced.kind is OutcomeKind.PLANNED
        approved = await team.desk.approve(BEN, forced.relaunch.id, forced.plan.hash)
        assert approved.kind is OutcomeKind.APPROVED
        assert await team.run(forced.relaunch.id) == "committed"


@pytest.mark.parametrize("turn", range(4))
async def test_of_two_that_begin_at_once_never_both_are_down(tmp_path, turn):
    async with two_machines(tmp_path) as team:
        runs = [await team.approved(server=name) for name in NAMES]
        most = []

        async def look(_seconds):
            states = [(await team.runs.get(run)).state for run in runs]
            most.append(sum(1 for state in states if state in UNDER_WAY))

        team.now.on_wait = look
        ends = await asyncio.gather(*(team.run(run, Memory()) for run in (runs if turn % 2 else runs[::-1])))

        assert list(ends) == ["committed", "committed"]
        assert max(most) == 1


@pytest.mark.parametrize(
    ("language", "label", "word"),
    [("en", "All 2, one by one", "one is relaunched after"), ("zh-CN", "全部 2 个，逐个进行", "逐个")],
)
async def test_all_servers_of_a_model_are_picked_at_once(tmp_path, language, label, word):
    async with two_machines(tmp_path) as team:
        street = Street(team)
        anna, room = who(ANNA), where(CHANNEL)
        entry = await street.hears(said(room, anna, PASTE))
        answer = await street.shown(entry)
        said_to = street.platforms["slack"]

        await street.pressed(press(room, anna, answer, RELAUNCH, language=language))
        picker = said_to.private[-1].card
        assert [one.label for one in picker.buttons] == [label, "qwen-a", "qwen-b"]
        chosen = replace(press(room, anna, answer, PICK, language=language), value=picker.buttons[0].value)
        await street.pressed(chosen)

        told = said_to.private[-1].card
        assert word in told.title
        (bullets,) = told.sections[0].parts
        assert [item.partition(":")[0] for item in bullets.items] == ["qwen-a", "qwen-b"]
        waiting = await team.runs.unfinished()
        assert {(run.server, run.state) for run in waiting} == {
            ("qwen-a", State.AWAITING_APPROVAL),
            ("qwen-b", State.AWAITING_APPROVAL),
        }

        await street.pressed(replace(chosen, person=who(EVE)))
        assert "not" in said_to.private[-1].card.title or "没有" in said_to.private[-1].card.title
        assert len(await team.runs.recent(9)) == 2


UNDER_WAY = {
    State.STOPPING,
    State.GPU_FREE,
    State.LAUNCHING,
    State.STARTING,
    State.HEALTHY,
    State.VERIFYING,
    State.ROLLING_BACK,
}
