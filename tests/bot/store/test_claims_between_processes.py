"""Several processes on one store: each event is one process's, a thread's events go in order, nothing is left."""

import asyncio
from datetime import timedelta

from adapters.chat.interface import Place
from bot.store.inbox import SqlInbox
from bot.store.interface import Claim, InboxState
from bot.store.notes import SqlNotes
from bot.store.upkeep.claims import SqlClaims
from bot.store.upkeep.retention import SqlRetention
from tests.bot.store.kept import NOON, an_entry, opened


def _claim(owner, *, minutes=0, platforms=("console",)):
    now = NOON + timedelta(minutes=minutes)
    return Claim(owner, now, now + timedelta(seconds=30), platforms)


async def _keep(database, *numbers, thread=None):
    for number in numbers:
        place = Place("console", "local", "incidents", thread or f"m{number}")
        entry = an_entry(f"e{number}", place=place, message=f"m{number}", minutes=-100 + number)
        assert await SqlInbox(database).keep(entry, [f"k{number}"])


def _ids(entries):
    return [entry.id for entry in entries]


async def test_an_event_is_claimed_by_one_of_many(tmp_path):
    async with opened(tmp_path) as database:
        await _keep(database, *range(10))
        claims = SqlClaims(database)

        found = await asyncio.gather(*(claims.claim(_claim(f"p{n}"), 3) for n in range(6)))

        ids = [one for entries in found for one in _ids(entries)]
        assert sorted(ids) == [f"e{number}" for number in range(10)]


async def test_of_a_thread_only_the_oldest_open_event_is_claimed(tmp_path):
    async with opened(tmp_path) as database:
        await _keep(database, 1, 2, thread="m1")
        claims = SqlClaims(database)

        first = await claims.claim(_claim("p1"), 10)
        nothing = await claims.claim(_claim("p2"), 10)
        await SqlInbox(database).settle("e1", InboxState.DONE)
        second = await claims.claim(_claim("p2"), 10)

        assert (_ids(first), nothing, _ids(second)) == (["e1"], [], ["e2"])


async def test_a_claim_that_ran_out_is_free_and_its_owner_hears_that_it_is_lost(tmp_path):
    async with opened(tmp_path) as database:
        await _keep(database, 1)
        claims = SqlClaims(database)
        await claims.claim(_claim("p1"), 10)

        early = await claims.claim(_claim("p2"), 10)
        late = await claims.claim(_claim("p2", minutes=1), 10)

        assert (early, _ids(late)) == ([], ["e1"])
        assert await claims.renew("p1", ["e1"], NOON + timedelta(hours=1)) == set()
        assert await claims.renew("p2", ["e1"], NOON + timedelta(hours=1)) == {"e1"}


async def test_what_is_given_back_rests_until_its_time(tmp_path):
    async with opened(tmp_path) as database:
        await _keep(database, 1)
        claims = SqlClaims(database)
        await claims.claim(_claim("p1"), 10)

        await claims.release("p1", "e1", NOON + timedelta(minutes=2))

        assert await claims.claim(_claim("p2", minutes=1), 10) == []
        assert _ids(await claims.claim(_claim("p2", minutes=2), 10)) == ["e1"]


async def test_what_a_process_that_is_gone_had_claimed_is_free_at_once(tmp_path):
    async with opened(tmp_path) as database:
        await _keep(database, 1)
        claims = SqlClaims(database)
        await claims.claim(_claim("p1"), 10)

        await claims.forget("p1")

        assert _ids(await claims.claim(_claim("p2"), 10)) == ["e1"]


async def test_events_of_platforms_that_are_not_set_up_are_left_alone(tmp_path):
    async with opened(tmp_path) as database:
        await _keep(database, 1)

        assert await SqlClaims(database).claim(_claim("p1", platforms=("slack",)), 10) == []


async def test_old_events_go_and_those_that_wait_stay(tmp_path):
    async with opened(tmp_path) as database:
        await _keep(database, 1, 2)
        await SqlInbox(database).settle("e1", InboxState.DONE)

        purged = await SqlRetention(database).purge(NOON)

        assert purged.events == 1
        assert await SqlRetention(database).waiting() == 1


async def test_a_note_is_replaced_and_kept_apart_from_those_of_others(tmp_path):
    async with opened(tmp_path) as database:
        mine, other = SqlNotes(database, "discord"), SqlNotes(database, "else")

        before = await mine.read("seen")
        await mine.write("seen", "1")
        await mine.write("seen", "2")

        assert (before, await mine.read("seen"), await other.read("seen")) == (None, "2", None)


async def test_a_cancelled_writer_leaves_no_lock(tmp_path):
    async with opened(tmp_path) as database:
        notes = SqlNotes(database, "x")
        for number in range(30):
            writer = asyncio.create_task(notes.write("k", str(number)))
            for _ in range(number % 7):
                await database.is_reachable()
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)

        async with asyncio.timeout(5):
            await notes.write("k", "last")

        assert await notes.read("k") == "last"
