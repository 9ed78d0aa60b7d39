"""Refused looks stand in the journal, and many of them in few entries."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from bot.audit.denied_views import DeniedViews
from bot.audit.entry import Entry, Stage

NOON = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)


class Book:
    """A journal in a list, which may be away."""

    def __init__(self):
        self.entries = []
        self.is_away = False

    async def write(self, entry, connection=None):
        if self.is_away:
            raise OSError("the store is away")
        self.entries.append(entry)

    @property
    def told(self):
        return [(entry.actor, entry.detail) for entry in self.entries]


class Views:
    def __init__(self):
        self.book, self.now = Book(), NOON
        self.denied = DeniedViews(self.book, lambda: self.now)

    async def look(self, person="slack:T1:EVE", after_s=0.0, **values):
        self.now += timedelta(seconds=after_s)
        entry = Entry(self.now, Stage.DECISION, "view", person, "refused", relaunch="r1", detail="no-role")
        await self.denied.write(entry)


@pytest.fixture
def views():
    return Views()


async def test_the_first_look_of_each_person_is_written_down_at_once(views):
    await views.look()
    await views.look("os:dan")

    assert views.book.told == [("slack:T1:EVE", "no-role"), ("os:dan", "no-role")]
    assert [entry.relaunch for entry in views.book.entries] == ["r1", "r1"]


async def test_the_next_ones_within_a_minute_are_one_entry_with_their_number(views):
    for _ in range(41):
        await views.look(after_s=1)
    assert len(views.book.entries) == 1

    await views.look(after_s=60)

    assert views.book.told[1:] == [
        ("slack:T1:EVE", "no-role, 40 more times since 12:00:01 UTC"),
        ("slack:T1:EVE", "no-role"),
    ]
    assert views.book.entries[1].outcome == "refused"


async def test_what_was_counted_is_told_though_nobody_looks_again(views):
    await views.look()
    await views.look()
    await views.denied.flush()
    await views.denied.flush()

    assert [detail for _, detail in views.book.told] == [
        "no-role",
        "no-role, 1 more times since 12:00:00 UTC",
    ]


async def test_a_bot_that_ends_tells_what_it_counted(views):
    await views.look()
    await views.look()
    telling = asyncio.create_task(views.denied.keep_telling())
    await asyncio.sleep(0)
    telling.cancel()
    await asyncio.gather(telling, return_exceptions=True)

    assert len(views.book.entries) == 2


async def test_a_count_outlives_a_journal_that_is_away_and_a_look_that_cannot_be_written_down_fails(views):
    await views.look()
    await views.look()
    views.book.is_away = True
    with pytest.raises(OSError, match="away"):
        await views.look(after_s=61)
    views.book.is_away = False

    await views.look(after_s=1)

    assert [detail for _, detail in views.book.told] == [
        "no-role",
        "no-role, 1 more times since 12:00:00 UTC",
        "no-role",
    ]


async def test_so_many_people_are_counted_and_no_more(views):
    await views.look("os:first")
    await views.look("os:first")
    for number in range(1_000):
        await views.look(f"os:p{number}")

    assert views.book.told[-1] == ("os:first", "no-role, 1 more times since 12:00:00 UTC")
