"""The switch for all relaunching: heeded at once by every bot on the store, and never in the middle of a run."""

import asyncio
from dataclasses import replace

import pytest

from adapters.chat.interface import ChatError
from bot.access.authorization import Refusal
from bot.relaunch.outcomes import OutcomeKind
from bot.relaunch.states import BlockReason, State
from tests.bot.relaunch.team import ANNA, BEN, ROOT, Memory, Team, a_team, wanted
from tests.bot.relaunch.test_groups_of_now import approved as approved_by
from tests.bot.relaunch.test_groups_of_now import with_groups
from tests.bot.store.kept import opened
from tests.fakes.host import Behaviour, with_lie

BEFORE = ["lock", "check", "stop"]
AFTER = ["free", "launch", "start", "healthy", "verify", "commit"]


async def off(team, why="storage is being repaired"):
    assert await team.switching.turn(ROOT, on=False, why=why) is True


async def test_nothing_new_is_asked_for_or_approved_while_it_is_off(tmp_path):
    async with a_team(tmp_path) as team:
        waiting = await team.desk.request(ANNA, wanted())
        await off(team)

        refused = await team.desk.approve(BEN, waiting.relaunch.id, waiting.plan.hash)
        asked = await team.desk.request(ANNA, wanted(fingerprint="e" * 24))
        seen = await team.desk.preview(ANNA, wanted())

        assert (refused.kind, refused.blocked.reason) == (OutcomeKind.BLOCKED, BlockReason.SWITCHED_OFF)
        assert (asked.kind, asked.blocked.reason) == (OutcomeKind.BLOCKED, BlockReason.SWITCHED_OFF)
        assert seen.blocked.reason is BlockReason.SWITCHED_OFF
        assert refused.detail == (
            "Relaunching was switched off by os:root at 12:00 UTC on 2026-12-01: storage is being repaired."
        )
        assert "relaunch switch on" in refused.blocked.lifts_when
        assert await team.outbox.waiting(10) == []


async def test_what_goes_on_is_still_turned_down_and_called_off_while_it_is_off(tmp_path):
    async with a_team(tmp_path) as team:
        waiting = await team.desk.request(ANNA, wanted())
        await off(team)

        done = await team.desk.reject(BEN, waiting.relaunch.id, waiting.plan.hash)

        assert done.kind is OutcomeKind.REJECTED


@pytest.mark.parametrize("step", [*BEFORE, *AFTER])
async def test_a_run_that_has_not_touched_its_server_ends_and_one_that_has_goes_on(tmp_path, step):
    async with a_team(tmp_path) as team:
        relaunch_id, memory = await team.approved(), Memory()

        async def turn(name, work):
            if name == step:
                await off(team)
            return await Memory.step(memory, name, work)

        memory.step = turn

        end = await team.run(relaunch_id, memory)

        assert end == (State.VOIDED if step in BEFORE else State.COMMITTED)
        if step in BEFORE:
            assert team.host.effects == []
            assert "storage is being repaired" in (await team.runs.get(relaunch_id)).detail


async def test_a_run_that_fails_while_it_is_off_goes_back_all_the_same(tmp_path):
    async with a_team(tmp_path) as team:
        team.host.behave = with_lie(Behaviour(models=()))
        relaunch_id, memory = await team.approved(), Memory()

        async def turn(name, work):
            if name == "launch":
                await off(team)
            return await Memory.step(memory, name, work)

        memory.step = turn

        assert await team.run(relaunch_id, memory) == State.ROLLED_BACK


async def test_a_run_that_waits_is_ended_by_it(tmp_path):
    async with a_team(tmp_path) as team:
        platforms = with_groups(team)
        relaunch_id = await approved_by(team, BEN)
        platforms.errors = [ChatError("slack", "no answer", "Try again.")] * 100

        async def turn(_):
            await team.switching.turn(ROOT, on=False)

        # the lead's grants have taken the place of the operators'
        policy = team.registry.policy
        team.registry = replace(
            team.registry,
            policy=replace(policy, members={**policy.members, "operators": frozenset({ANNA.id, ROOT.id})}),
        )
        team.now.on_wait = turn

        assert await team.run(relaunch_id) == State.VOIDED
        assert team.host.effects == []


async def test_another_bot_on_the_same_store_heeds_it(tmp_path):
    async with a_team(tmp_path) as team, opened(tmp_path) as database:
        other = Team(database, team.host, team.now, keys=team.keys, number=1 << 64)
        await off(team)

        assert (await other.desk.request(ANNA, wanted())).blocked.reason is BlockReason.SWITCHED_OFF
        assert await other.switching.turn(ROOT, on=True) is True
        assert (await team.desk.request(ANNA, wanted())).kind is OutcomeKind.PLANNED


async def test_what_the_settings_switch_off_no_command_switches_on(tmp_path):
    async with a_team(tmp_path) as team:
        team.switches = replace(team.switches, is_enabled=False)
        await team.switching.turn(ROOT, on=True)

        blocked = (await team.desk.request(ANNA, wanted())).blocked

        assert blocked.reason is BlockReason.SWITCHED_OFF
        assert "relaunch.enabled" in blocked.lifts_when


async def test_each_turn_is_written_down_with_who_and_why_and_the_first_word_stays(tmp_path):
    async with a_team(tmp_path) as team:
        assert await team.switching.turn(ROOT, on=False, why="it burns") is True
        assert await team.switching.turn(ROOT, on=False, why="again") is False
        first = await team.kill_switch.state()
        assert await team.switching.turn(BEN, on=True) is Refusal.CHANNEL
        assert await team.switching.turn(ROOT, on=True) is True
        assert await team.switching.turn(ROOT, on=True) is False

        told = [(entry["actor"], entry["outcome"], entry["detail"]) for entry in await team.journalled()]
        assert (first.by, first.why) == (ROOT.id, "it burns")
        assert told == [
            (ROOT.id, "allowed", "off: it burns"),
            (ROOT.id, "allowed", "off: again"),
            (BEN.id, "refused", "channel"),
            (ROOT.id, "allowed", "on"),
            (ROOT.id, "allowed", "on"),
        ]


async def test_a_reason_is_one_short_masked_line(tmp_path):
    async with a_team(tmp_path) as team:
        await off(team, "line\x1b[31m\none hf_" + "abcdefgh" * 5 + " " + "long " * 200)

        state = await team.kill_switch.state()
        assert state.why.isprintable()
        assert len(state.why) <= 200
        assert "abcdefgh" not in state.why


async def test_many_turns_at_once_are_one(tmp_path):
    async with a_team(tmp_path) as team:
        turned = await asyncio.gather(*(team.switching.turn(ROOT, on=False) for _ in range(6)))

        assert sorted(turned) == [False] * 5 + [True]
