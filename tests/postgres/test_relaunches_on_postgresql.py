"""Relaunches on PostgreSQL: two bots, one leader, one run; the other one takes over when the first is killed."""

import asyncio

import pytest

from bot.audit.entry import Entry, Stage
from bot.relaunch.acts.switching import SwitchedOff
from bot.relaunch.durable.leader import PostgresLeadership
from bot.relaunch.states import State
from bot.store.database import open_database
from bot.store.journal import SqlJournal
from bot.store.relaunches.kill_switch import SqlKillSwitch
from bot.store.relaunches.locks import SqlLocks
from bot.store.relaunches.runs import SqlRelaunches
from tests.bot.relaunch.team import NOON
from tests.bot.store.test_relaunches import KEYS, a_run
from tests.crash.relaunch.disturbances.losing_the_store import without_store
from tests.crash.relaunch.field import a_field
from tests.crash.relaunch.grounds.memory import memory_ground
from tests.crash.relaunch.matrix import Row, play
from tests.crash.relaunch.stores import a_postgres_store
from tests.postgres.cluster import programs

pytest.importorskip("psycopg", reason="needs psycopg")
pytestmark = [
    pytest.mark.root,
    pytest.mark.skipif(programs() is None, reason="needs Debian's postgresql"),
]
PATIENCE_S = 60


@pytest.fixture
def store():
    with a_postgres_store() as found:
        yield found


@pytest.fixture
def url(store):
    return store.url


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


async def test_of_many_turns_of_the_switch_at_once_one_counts_and_both_processes_heed_it(url):
    one, other = await open_database(url), await open_database(url)
    entry = Entry(NOON, Stage.DECISION, "switch", "os:ada", "allowed")
    try:
        switches = [SqlKillSwitch(database, SqlJournal(database, KEYS)) for database in (one, other)]
        off = SwitchedOff("os:ada", NOON, "it burns")
        turned = await asyncio.gather(*(switches[n % 2].turn_off(off, entry) for n in range(8)))
        seen = [await switch.state() for switch in switches]
        back = await asyncio.gather(*(switches[n % 2].turn_on(entry) for n in range(8)))
        left = [await switch.state() for switch in switches]
    finally:
        await one.close()
        await other.close()

    assert (sorted(turned), sorted(back)) == ([False] * 7 + [True], [False] * 7 + [True])
    assert (seen, left) == ([off, off], [None, None])


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


@pytest.mark.parametrize(
    ("disturbance", "moment"),
    [
        ("kill", "done:launch"),
        ("kill", "host:restore:done"),
        ("kill-standby", "starting"),
        ("press-twice", "approved"),
    ],
)
async def test_a_killed_bot_is_followed_by_another_and_many_clicks_on_both_are_one_run(
    store, tmp_path, disturbance, moment
):
    async with memory_ground(tmp_path) as ground:
        tally = await play(tmp_path, ground, Row(disturbance, moment), 1, store)

    assert tally.is_sound, str(tally)


@pytest.mark.parametrize("moment", ["host:commit:done", "stopping"])
async def test_a_leader_that_was_frozen_and_replaced_does_nothing_more_when_it_wakes(store, tmp_path, moment):
    async with memory_ground(tmp_path) as ground:
        tally = await play(tmp_path, ground, Row("pause", moment), 1, store)

    assert tally.is_sound, str(tally)


async def test_a_database_that_is_away_for_a_while_loses_no_run(store, tmp_path):
    async with memory_ground(tmp_path) as ground, a_field(tmp_path, ground, store) as field:
        bot = await field.leader()
        await field.renew("launching")
        await without_store(3.0)(field, bot, "launching")

    assert field.tally.is_sound, str(field.tally)
