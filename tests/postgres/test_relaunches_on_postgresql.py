"""Relaunches on PostgreSQL: two bots, one leader, one run; the other one takes over when the first is killed."""

import asyncio
import json
import signal
import tempfile
from pathlib import Path

import pytest

from bot.relaunch.durable.leader import PostgresLeadership
from bot.relaunch.states import State
from bot.store.database import open_database
from bot.store.journal import SqlJournal
from bot.store.relaunches.locks import SqlLocks
from bot.store.relaunches.runs import SqlRelaunches
from tests.bot.relaunch.team import ANNA, BEN, wanted
from tests.bot.store.test_relaunches import KEYS, a_run
from tests.crash.relaunch.killing import a_field, kill_and_count
from tests.postgres.cluster import a_cluster, programs

pytest.importorskip("psycopg", reason="needs psycopg")
pytestmark = [
    pytest.mark.root,
    pytest.mark.skipif(programs() is None, reason="needs Debian's postgresql"),
]
PATIENCE_S = 60


@pytest.fixture
def url():
    # a socket's path must be short
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        Path(folder).chmod(0o755)
        with a_cluster(Path(folder) / "c") as address:
            yield address


async def test_two_processes_never_keep_two_open_runs_of_a_server_nor_share_a_host(url):
    one, other = await open_database(url), await open_database(url)
    try:
        stores = [SqlRelaunches(database, SqlJournal(database, KEYS)) for database in (one, other)]
        kept = await asyncio.gather(*(stores[n % 2].add(a_run(f"r{n}")) for n in range(10)))
        runs = [a_run(f"s{n}", server=f"s{n}", state=State.APPROVED) for n in range(8)]
        for run in runs:
            await stores[0].add(run)
        locks = [SqlLocks(database) for database in (one, other)]
        taken = await asyncio.gather(*(locks[n % 2].take("gpu-1", run.id) for n, run in enumerate(runs)))
    finally:
        await one.close()
        await other.close()

    assert len({run.id for run in kept}) == 1
    assert [fence for fence in taken if fence is not None] == [1]


async def test_one_leads_and_knows_when_it_has_lost_the_lead(url):
    leadership = PostgresLeadership(url, beat_s=0.05)
    database = await open_database(url)
    followed, is_cut = asyncio.Event(), False

    async def follow():
        async with PostgresLeadership(url, beat_s=0.01).held():
            assert is_cut
            followed.set()

    try:
        async with leadership.held() as lost:
            following = asyncio.create_task(follow())
            assert not lost.is_set()
            is_cut = True
            async with database.writing() as connection:
                await connection.exec_driver_sql(
                    "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted"
                )
            async with asyncio.timeout(PATIENCE_S):
                await lost.wait()
                await followed.wait()
        await following
    finally:
        await database.close()


@pytest.mark.parametrize("moment", ["stopping", "done:launch", "host:restore:done"])
async def test_a_killed_bot_is_followed_by_another(url, tmp_path, moment):
    tally = await kill_and_count(tmp_path, moment, 1, url)

    assert tally.is_sound, str(tally)


async def test_the_standby_takes_over_and_many_clicks_on_both_are_one_run(url, tmp_path):
    async with a_field(tmp_path, url) as one:
        first = await one.bot()
        await first.says("leads", value=True)
        second = await one.bot()
        await first.hold("starting")
        asked = await asyncio.gather(*(one.team.desk.request(ANNA, wanted()) for _ in range(4)))
        relaunch_id = asked[0].relaunch.id
        plan_hash = next(outcome.plan.hash for outcome in asked if outcome.plan)
        clicks = await asyncio.gather(*(one.team.desk.approve(BEN, relaunch_id, plan_hash) for _ in range(6)))
        await first.says("held", "starting")
        await first.end(signal.SIGKILL)
        try:
            await second.says("leads", value=True)
            assert await one.ended(relaunch_id) is State.COMMITTED
        finally:
            await second.end()

        assert [outcome.kind for outcome in clicks].count("approved") == 1
        assert [effect.verb for effect in one.host.effects] == ["stop", "start", "commit"]


async def test_a_leader_that_was_frozen_and_replaced_does_nothing_more_when_it_wakes(url, tmp_path):
    async with a_field(tmp_path, url) as one:
        first = await one.bot()
        await first.says("leads", value=True)
        second, host = await one.bot(), one.host
        gate = one.host.gates["commit:done"] = asyncio.Event()
        reached = one.host.reached["commit:done"] = asyncio.Event()
        relaunch_id = await one.approved()
        async with asyncio.timeout(PATIENCE_S):
            await reached.wait()
        first.process.send_signal(signal.SIGSTOP)
        del one.host.gates["commit:done"]
        async with one.team.database.writing() as connection:
            await connection.exec_driver_sql(
                "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted"
            )
        try:
            await second.says("leads", value=True)
            assert await one.ended(relaunch_id) is State.COMMITTED
            gate.set()
            first.process.send_signal(signal.SIGCONT)
            second_run = await _another(one)
        finally:
            await first.end()
            await second.end()

        for used in (host, one.host):
            assert [effect.verb for effect in used.effects] == ["stop", "start", "commit"]
        told = [json.loads(link.record) async for link in one.team.journal.links()]
        commits = [
            entry["relaunch"] for entry in told if (entry["stage"], entry["act"]) == ("result", "commit")
        ]
        assert commits == [relaunch_id, second_run]


async def _another(one) -> str:
    """Another run, which is carried out while the one that woke up looks around."""
    one.host = one.team.host = one.new_host(await one.team.locks.fence("gpu-1"))
    run_id = await one.approved()
    assert await one.ended(run_id) is State.COMMITTED
    return run_id
