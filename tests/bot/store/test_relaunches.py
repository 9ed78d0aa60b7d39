"""Relaunches on a real SQLite file: one open run per server, each move once with its journal, fences that only grow."""

import asyncio
import json
import os
from dataclasses import replace
from datetime import timedelta

import pytest

from bot.access.actor import Actor, Surface
from bot.access.authorization import Approval, Decision
from bot.audit.chain import Keys
from bot.audit.entry import Entry, Stage
from bot.relaunch.states import State
from bot.store.interface import StoreError
from bot.store.journal import SqlJournal
from bot.store.relaunches.approvals import SqlApprovals
from bot.store.relaunches.interface import (
    Moment,
    Move,
    MoveRefusedError,
    Planned,
    Relaunch,
    Ruling,
    UnknownRelaunchError,
)
from bot.store.relaunches.letters import SqlOutbox
from bot.store.relaunches.locks import SqlLocks
from bot.store.relaunches.runs import SqlRelaunches
from tests.bot.store.kept import NOON, opened

KEYS = Keys(os.urandom(32))


class BrokenJournal:
    """Cannot write."""

    async def write(self, entry, connection=None):
        raise StoreError("here", "is full", "Free space.")

    async def head(self):
        return None


def a_run(
    run_id="r1", *, server="qwen", host="gpu-1", state=State.REQUESTED, minutes=0, **values
) -> Relaunch:
    asked_at = NOON + timedelta(minutes=minutes)
    return Relaunch(run_id, host, server, state, "slack:T1:ANNA", "i1", "f1", asked_at, **values)


def an_entry(act="stop", **values) -> Entry:
    return Entry(NOON, Stage.INTENT, act, "bot", **values)


def stores(database):
    journal = SqlJournal(database, KEYS)
    return SqlRelaunches(database, journal), SqlLocks(database), journal


async def written(journal):
    return [json.loads(link.record)["act"] async for link in journal.links()]


async def test_a_run_comes_back_as_it_was_kept(tmp_path):
    async with opened(tmp_path) as database:
        runs, _, journal = stores(database)
        run = a_run(origin={"platform": "slack", "日": "志"})

        kept = await runs.add(run, [an_entry("request")])

        assert kept == run == await runs.get("r1")
        assert await written(journal) == ["request"]
        with pytest.raises(UnknownRelaunchError, match="no relaunch r9"):
            await runs.get("r9")


async def test_a_server_has_one_open_run_and_another_after_its_end(tmp_path):
    async with opened(tmp_path) as database:
        runs, _, journal = stores(database)
        await runs.add(a_run("r1"))

        joined = await runs.add(a_run("r2"), [an_entry("request")])
        other = await runs.add(a_run("r3", server="llama"))
        elsewhere = await runs.add(a_run("r4", host="gpu-2"))
        assert (joined.id, other.id, elsewhere.id) == ("r1", "r3", "r4")
        assert await written(journal) == []

        await runs.move(Move("r1", State.VOIDED, NOON))
        assert (await runs.add(a_run("r5"))).id == "r5"


async def test_of_many_requests_at_once_one_is_kept(tmp_path):
    async with opened(tmp_path) as database:
        runs, _, _ = stores(database)

        kept = await asyncio.gather(*(runs.add(a_run(f"r{n}")) for n in range(12)))

        assert len({run.id for run in kept}) == 1
        assert len(await runs.recent(20)) == 1


async def test_a_move_is_made_once_and_written_down_once(tmp_path):
    async with opened(tmp_path) as database:
        runs, _, journal = stores(database)
        await runs.add(a_run())
        move = Move("r1", State.PLANNED, NOON, "It is planned.", {"a": 1}, (an_entry("plan"),))

        moved = await asyncio.gather(*(runs.move(move) for _ in range(5)))

        assert moved.count(True) == 1
        assert await written(journal) == ["plan"]
        moments = await runs.moments("r1")
        assert [moment.state for moment in moments] == [State.REQUESTED, State.PLANNED]
        assert (moments[1].detail, moments[1].facts) == ("It is planned.", {"a": 1})


async def test_a_move_that_the_table_does_not_hold_is_refused_and_leaves_no_trace(tmp_path):
    async with opened(tmp_path) as database:
        runs, _, journal = stores(database)
        await runs.add(a_run())

        with pytest.raises(MoveRefusedError) as caught:
            await runs.move(Move("r1", State.COMMITTED, NOON, entries=(an_entry("commit"),)))

        assert (caught.value.state, caught.value.to) == (State.REQUESTED, State.COMMITTED)
        assert (await runs.get("r1")).state is State.REQUESTED
        assert await written(journal) == []


async def test_what_the_journal_cannot_take_does_not_happen(tmp_path):
    async with opened(tmp_path) as database:
        runs, _, _ = stores(database)
        await runs.add(a_run())
        broken = SqlRelaunches(database, BrokenJournal())

        for attempt in (
            broken.move(Move("r1", State.PLANNED, NOON, entries=(an_entry(),))),
            broken.note(Moment("r1", "k", State.REQUESTED, NOON), [an_entry()]),
            broken.call_off("r1", "slack:T1:BEN", [an_entry()]),
            broken.add(a_run("r2", server="llama"), [an_entry()]),
        ):
            with pytest.raises(StoreError):
                await attempt

        run = await runs.get("r1")
        assert (run.state, run.cancelled_by) == (State.REQUESTED, None)
        assert len(await runs.moments("r1")) == 1
        assert len(await runs.recent(5)) == 1


async def test_a_moment_is_told_once_under_its_key(tmp_path):
    async with opened(tmp_path) as database:
        runs, _, journal = stores(database)
        await runs.add(a_run())
        moment = Moment("r1", "stop:result", State.REQUESTED, NOON, "It ended.", {"held": ""})

        told = [await runs.note(moment, [an_entry()]) for _ in range(3)]

        assert told == [True, False, False]
        assert await written(journal) == ["stop"]
        assert (await runs.moments("r1"))[-1] == moment
        assert (await runs.get("r1")).detail == "It ended."


async def test_an_unknown_host_is_remembered_with_what_it_was_asked_for(tmp_path):
    async with opened(tmp_path) as database:
        runs, _, _ = stores(database)
        await runs.add(a_run(state=State.STOPPING))

        await runs.move(Move("r1", State.HOST_UNKNOWN, NOON, "No answer."))
        run = await runs.get("r1")
        assert (run.state, run.held) == (State.HOST_UNKNOWN, State.STOPPING)
        assert await runs.move(Move("r1", State.STOPPING, NOON)) is False
        assert await runs.move(Move("r1", State.STOPPING, NOON, host_answers=True)) is True

        run = await runs.get("r1")
        assert (run.state, run.held) == (State.STOPPING, None)


async def test_the_end_of_a_run_sets_its_host_free_in_the_same_moment(tmp_path):
    async with opened(tmp_path) as database:
        runs, locks, _ = stores(database)
        await runs.add(a_run(state=State.APPROVED))
        assert await locks.take("gpu-1", "r1") == 1
        await runs.move(Move("r1", State.LOCKED, NOON))
        assert await locks.holder("gpu-1") == "r1"

        await runs.move(Move("r1", State.VOIDED, NOON + timedelta(minutes=1)))

        run = await runs.get("r1")
        assert await locks.holder("gpu-1") is None
        assert (run.ended_at, run.fence) == (NOON + timedelta(minutes=1), 1)
        assert await runs.unfinished() == []


async def test_what_is_held_beside_the_host_is_free_when_the_run_ends_and_moves_no_fence(tmp_path):
    async with opened(tmp_path) as database:
        runs, locks, _ = stores(database)
        for number in range(1, 3):
            await runs.add(
                a_run(f"r{number}", server=f"s{number}", host=f"gpu-{number}", state=State.APPROVED)
            )
        assert await locks.take("gpu-1", "r1", above=6) == 7

        assert [await locks.hold("replicas x", "r1") for _ in range(2)] == [True, True]
        assert not await locks.hold("replicas x", "r2")
        assert await locks.holder("replicas x") == "r1"
        assert (await runs.get("r1")).fence == 7
        await runs.move(Move("r1", State.VOIDED, NOON))

        assert await locks.hold("replicas x", "r2")
        # what has ended holds nothing any more
        assert not await locks.hold("replicas y", "r1")
        assert (await runs.get("r2")).fence is None


async def test_the_past_of_other_servers_is_found_too(tmp_path):
    async with opened(tmp_path) as database:
        runs, _, _ = stores(database)
        for number in range(1, 4):
            name = f"r{number}"
            await runs.add(a_run(name, server=f"s{number}", host=f"gpu-{number}"))

        since = NOON - timedelta(hours=1)
        found = await runs.past("gpu-1", "nobody", since, {"s3"})

        assert [run.id for run in found] == ["r1", "r3"]
        assert [run.id for run in await runs.past("gpu-1", "nobody", since)] == ["r1"]


async def test_a_fence_only_grows_and_a_lock_is_held_for_ever(tmp_path):
    async with opened(tmp_path) as database:
        runs, locks, _ = stores(database)
        for number in range(1, 4):
            await runs.add(a_run(f"r{number}", server=f"s{number}", state=State.APPROVED))

        assert await locks.fence("gpu-1") == 0
        assert [await locks.take("gpu-1", "r1") for _ in range(3)] == [1, 1, 1]
        assert await locks.take("gpu-1", "r2") is None
        await runs.move(Move("r1", State.VOIDED, NOON))
        assert await locks.take("gpu-1", "r1") is None
        assert await locks.take("gpu-1", "r2") == 2
        assert await locks.take("gpu-1", "r2", above=1) == 2
        assert await locks.take("gpu-1", "r2", above=7) == 8
        await runs.move(Move("r2", State.VOIDED, NOON))
        assert await locks.take("gpu-1", "r3") == 9
        assert await locks.fence("gpu-1") == 9
        assert await locks.take("gpu-2", "r3") == 1


async def test_of_many_runs_that_want_a_host_one_gets_it(tmp_path):
    async with opened(tmp_path) as database:
        runs, locks, _ = stores(database)
        for number in range(8):
            await runs.add(a_run(f"r{number}", server=f"s{number}", state=State.APPROVED))

        taken = await asyncio.gather(*(locks.take("gpu-1", f"r{number}") for number in range(8)))

        assert sorted(fence is not None for fence in taken) == [False] * 7 + [True]


async def test_calling_off_is_kept_once_and_not_after_the_end(tmp_path):
    async with opened(tmp_path) as database:
        runs, _, journal = stores(database)
        await runs.add(a_run())

        assert await runs.call_off("r1", "slack:T1:BEN", [an_entry("cancel")])
        assert not await runs.call_off("r1", "slack:T1:EVE", [an_entry("cancel")])
        assert (await runs.get("r1")).cancelled_by == "slack:T1:BEN"
        assert await written(journal) == ["cancel"]
        await runs.add(a_run("r2", server="llama"))
        await runs.move(Move("r2", State.VOIDED, NOON))
        assert not await runs.call_off("r2", "slack:T1:BEN", [])


async def test_runs_are_listed_newest_first_and_the_past_by_host_or_person(tmp_path):
    async with opened(tmp_path) as database:
        runs, _, _ = stores(database)
        await runs.add(a_run("old", server="a", minutes=-600))
        await runs.add(a_run("mine", server="b", host="gpu-2", minutes=-5))
        await runs.add(replace(a_run("other", server="c", host="gpu-3", minutes=-4), requester="os:eve"))
        await runs.add(replace(a_run("same-host", server="d", minutes=-3), requester="os:eve"))

        assert [run.id for run in await runs.recent(2)] == ["same-host", "other"]
        past = await runs.past("gpu-1", "slack:T1:ANNA", NOON - timedelta(hours=1))
        assert [run.id for run in past] == ["mine", "same-host"]
        assert [run.id for run in await runs.unfinished()] == ["old", "mine", "other", "same-host"]


async def test_approvals_are_judged_with_all_that_are_kept_and_the_last_one_queues_the_run(tmp_path):
    async with opened(tmp_path) as database:
        runs, _, journal = stores(database)
        approvals, outbox = SqlApprovals(database, journal), SqlOutbox(database)
        await runs.add(a_run(state=State.PREFLIGHT_OK))
        planned = Planned({"shape": 1}, "h" * 64, NOON + timedelta(minutes=30))
        await runs.move(Move("r1", State.AWAITING_APPROVAL, NOON), planned)
        seen = []

        def rule(run, earlier):
            seen.append((run.plan_hash, len(earlier)))
            return Ruling(Decision(None, "operators"), len(earlier) == 1, (an_entry("approve"),))

        for name in ("BEN", "CORA"):
            actor = Actor(Surface.SLACK, f"slack:T1:{name}", frozenset({"g2", "g1"}), channel="c", source="s")
            approval = Approval(actor.id, "h" * 64, actor.is_signed_in, NOON)
            await approvals.approve(actor, Move("r1", State.APPROVED, NOON), approval, rule)

        assert seen == [("h" * 64, 0), ("h" * 64, 1)]
        assert (await runs.get("r1")).state is State.APPROVED
        (letter,) = await outbox.waiting(5)
        assert (letter.relaunch_id, letter.kind) == ("r1", "start")
        assert [(who.id, who.groups) for who, _ in await approvals.of("r1")] == [
            ("slack:T1:BEN", frozenset({"g1", "g2"})),
            ("slack:T1:CORA", frozenset({"g1", "g2"})),
        ]
        await outbox.taken(letter, NOON)
        assert await outbox.waiting(5) == []


async def test_an_approval_that_cannot_be_written_down_queues_nothing(tmp_path):
    async with opened(tmp_path) as database:
        runs, _, _ = stores(database)
        await runs.add(a_run(state=State.AWAITING_APPROVAL))
        actor = Actor(Surface.TERMINAL, "os:ben")
        approval = Approval(actor.id, "h", is_signed_in=True, at=NOON)

        def rule(run, earlier):
            return Ruling(Decision(None, "operators"), True, (an_entry("approve"),))

        with pytest.raises(StoreError):
            await SqlApprovals(database, BrokenJournal()).approve(
                actor, Move("r1", State.APPROVED, NOON), approval, rule
            )

        assert (await runs.get("r1")).state is State.AWAITING_APPROVAL
        assert await SqlOutbox(database).waiting(5) == []
