"""The journal in a real database: in order, whole, also when several write at once."""

import asyncio

import pytest

from bot.audit.chain import Head, Keys, verify
from bot.audit.entry import Entry, Stage
from bot.store.journal import SqlJournal
from tests.bot.store.kept import NOON, opened

KEYS = Keys(b"k" * 32)


def an_act(detail="", relaunch="r1"):
    return Entry(NOON, Stage.INTENT, "stop", "slack:T1:U1", relaunch=relaunch, detail=detail)


async def _write_and_fail(database, journal):
    async with database.writing() as connection:
        await journal.write(an_act(), connection)
        raise RuntimeError("the act was not kept")


async def test_entries_come_back_in_order_and_check(tmp_path):
    async with opened(tmp_path) as database:
        journal = SqlJournal(database, KEYS)
        made = [await journal.write(an_act(str(number))) for number in range(5)]

        links = [one async for one in journal.links()]

        assert links == made
        assert verify(links, KEYS) is None
        assert await journal.head() == Head(5, made[-1].mac)


async def test_an_empty_journal_has_no_head(tmp_path):
    async with opened(tmp_path) as database:
        assert await SqlJournal(database, KEYS).head() is None


async def test_many_writers_at_once_make_one_chain(tmp_path):
    async with opened(tmp_path) as one, opened(tmp_path) as other:
        journals = [SqlJournal(one, KEYS), SqlJournal(other, KEYS)]
        await asyncio.gather(*(journals[number % 2].write(an_act(str(number))) for number in range(40)))

        links = [link async for link in journals[0].links()]

    assert len(links) == 40
    assert verify(links, KEYS) is None


async def test_an_entry_is_gone_with_the_transaction_it_was_part_of(tmp_path):
    async with opened(tmp_path) as database:
        journal = SqlJournal(database, KEYS)
        with pytest.raises(RuntimeError):
            await _write_and_fail(database, journal)

        assert await journal.head() is None


async def test_the_entries_of_one_relaunch_can_be_asked_for(tmp_path):
    async with opened(tmp_path) as database:
        journal = SqlJournal(database, KEYS)
        for number in range(4):
            await journal.write(an_act(str(number), relaunch=f"r{number % 2}"))

        assert [link.sequence async for link in journal.links(relaunch="r1")] == [2, 4]
