"""PostgreSQL as the store: the same tables, and two processes that behave as one."""

import asyncio
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from adapters.chat.interface import Place
from bot.store.answers import SqlAnswers
from bot.store.database import open_database
from bot.store.inbox import SqlInbox
from bot.store.incidents import SqlIncidents
from bot.store.interface import Claim, InboxState
from bot.store.notes import SqlNotes
from bot.store.room import SqlRoomLog
from bot.store.tables import metadata
from bot.store.upkeep.claims import SqlClaims
from bot.store.upkeep.retention import SqlRetention
from tests.bot.store.kept import NOON, an_answer, an_entry, an_incident
from tests.crash.killing import PATIENCE_S, REFUSED, a_process, carded, carded_threads
from tests.fakes.slack.records import SlackSettings
from tests.fakes.slack.stage import SlackStage
from tests.fakes.slack.workspace import Workspace
from tests.postgres.cluster import a_cluster, programs

pytest.importorskip("psycopg", reason="needs the extra 'postgres'")
pytestmark = [
    pytest.mark.root,
    pytest.mark.skipif(programs() is None, reason="needs Debian's postgresql"),
]


@pytest.fixture
def url():
    # a socket's path must be short
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:
        Path(folder).chmod(0o755)
        with a_cluster(Path(folder) / "c") as address:
            yield address


async def test_the_store_keeps_the_same_there(url):
    one, other = await open_database(url), await open_database(url)
    try:
        entry = an_entry("e1")
        kept = await asyncio.gather(
            *(
                SqlInbox(database).keep(an_entry(f"e{n}"), ["k"])
                for n, database in enumerate([one, other] * 5)
            )
        )
        (waiting,) = await SqlInbox(one).waiting(10)
        incident = await SqlIncidents(one).record(an_incident(place=entry.place))
        await SqlAnswers(other).decide(an_answer(entry=waiting.id, incident_id=incident.id))
        await SqlNotes(one, "x").write("k", "v")
        await SqlRoomLog(other).append("room", "reply", "r1", {"at": NOON.isoformat()})
        await SqlInbox(one).settle(waiting.id, InboxState.DONE)
        async with one.reading() as connection:
            differences = await connection.run_sync(
                lambda sync: compare_metadata(MigrationContext.configure(sync), metadata)
            )
        purged = await SqlRetention(one).purge(NOON + timedelta(days=1))
    finally:
        await one.close()
        await other.close()

    assert kept.count(True) == 1
    assert differences == []
    assert (purged.incidents, purged.events, purged.room_events) == (1, 1, 1)


async def test_two_processes_never_claim_the_same_nor_two_of_a_thread(url):
    one, other = await open_database(url), await open_database(url)
    try:
        for number in range(40):
            place = Place("slack", "T", "C", f"m{number % 20}")
            await SqlInbox(one).keep(an_entry(f"e{number:02}", place=place, minutes=number), [f"k{number}"])
        late = NOON + timedelta(days=1)
        found = await asyncio.gather(
            *(
                SqlClaims(database).claim(Claim(f"p{n}", late, late + timedelta(minutes=1), ("slack",)), 4)
                for n, database in enumerate([one, other] * 5)
            )
        )
    finally:
        await one.close()
        await other.close()

    claimed = [entry for entries in found for entry in entries]
    assert len({entry.id for entry in claimed}) == len(claimed) == 20
    assert len({entry.place for entry in claimed}) == 20


async def test_two_bots_answer_once_and_the_survivor_takes_over(url, tmp_path):
    async def start(addresses):
        return await a_process(addresses, tmp_path, url)

    async with Workspace(SlackSettings()) as workspace:
        stage = SlackStage(workspace, start)
        await stage.open()
        second = await start(workspace.addresses)
        try:
            await workspace.sockets.connected(2)
            said = [await stage.say(f"server {number}\n{REFUSED}") for number in range(12)]
            await carded(stage, *said)
            gate = workspace.faults.hold("chat.postMessage", after_effect=True)
            said.append(await stage.say(f"the last\n{REFUSED}"))
            await gate.reached(PATIENCE_S)
            await stage.bot.kill()
            await second.idle()
        finally:
            workspace.faults.release()
            await second.stop()
            await stage.close()
        threads = carded_threads(stage)

    assert sorted(threads) == sorted(one.id for one in said)
