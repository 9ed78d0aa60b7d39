"""What every chat platform promises, on the console: one reply per id, found, edited; files handed over."""

from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from adapters.chat.console.platform import ConsolePlatform
from adapters.chat.console.rooms import NAME, TEAM, Draft, Rooms, Surroundings
from adapters.chat.console.uploads import Uploads
from adapters.chat.interface import (
    Card,
    File,
    FileGoneError,
    FileTooLargeError,
    Mark,
    MessageRef,
    Person,
    Place,
    Reply,
    UnreachableError,
    Visibility,
)
from bot.store.room import SqlRoomLog
from tests.bot.store.kept import opened

PLACE = Place(NAME, TEAM, "incidents", "m1")
REPLY = Reply("reply-1", Card("A title", "A title."))


@asynccontextmanager
async def a_platform(folder):
    numbers = count(1)
    async with opened(folder) as database:
        log = SqlRoomLog(database)

        def new_id():
            return f"{next(numbers):016x}"

        async def mask(text):
            return text.replace("secret", "***"), text.count("secret")

        uploads = Uploads(NAME, folder / "uploads", 1_000, new_id)
        rooms = Rooms(Surroundings(log, uploads, lambda: datetime(2026, 12, 1, tzinfo=UTC), new_id, mask))
        yield ConsolePlatform(rooms), rooms, log


async def chunks(*pieces):
    for piece in pieces:
        yield piece


async def test_a_reply_posted_twice_is_shown_once_and_found_again(tmp_path):
    async with a_platform(tmp_path) as (platform, _, log):
        before = await platform.find_reply(PLACE, "reply-1")
        first = await platform.post(PLACE, REPLY)
        again = await platform.post(PLACE, REPLY)

        assert before is None
        assert first == again == await platform.find_reply(PLACE, "reply-1")
        assert [event.kind for event in await log.after(0, 10)] == ["reply"]


async def test_an_edit_names_the_reply_that_it_replaces(tmp_path):
    async with a_platform(tmp_path) as (platform, _, log):
        ref = await platform.post(PLACE, REPLY)

        await platform.edit(ref, Reply("reply-1", Card("Another title", "Another title.")))

        edit = (await log.after(0, 10))[-1]
        assert (edit.kind, edit.payload["id"], edit.payload["card"]["title"]) == (
            "edit",
            ref.id,
            "Another title",
        )


async def test_a_private_reply_names_who_may_see_it(tmp_path):
    async with a_platform(tmp_path) as (platform, _, log):
        await platform.post(PLACE, Reply("r2", REPLY.card, Visibility.PRIVATE, "ada"))

        assert (await log.after(0, 10))[0].payload["recipient"] == "ada"


async def test_a_mark_stands_beside_its_message(tmp_path):
    async with a_platform(tmp_path) as (platform, _, log):
        await platform.mark(MessageRef(PLACE, "m1"), Mark.WORKING)
        await platform.mark(MessageRef(PLACE, "m1"), Mark.QUIET)

        marks = [(event.payload["id"], event.payload["mark"]) for event in await log.after(0, 10)]
        assert marks == [("m1", "working"), ("m1", "quiet")]


async def test_a_file_is_handed_over_until_it_is_done_with(tmp_path):
    async with a_platform(tmp_path) as (platform, rooms, _):
        file = await rooms.around.uploads.receive("..\\dir/a.log", "text/plain", chunks(b"one", b"two"))
        target = tmp_path / "read.log"

        await platform.fetch(file, target, 1_000)
        await platform.done_with(file)

        assert (file.name, file.size_bytes, target.read_bytes()) == ("a.log", 6, b"onetwo")
        with pytest.raises(FileGoneError, match=r"a\.log"):
            await platform.fetch(file, target, 1_000)


async def test_a_file_beyond_the_limit_is_not_kept_and_not_handed_over(tmp_path):
    async with a_platform(tmp_path) as (platform, rooms, _):
        with pytest.raises(FileTooLargeError):
            await rooms.around.uploads.receive("a.log", None, chunks(b"x" * 900, b"x" * 200))
        small = await rooms.around.uploads.receive("b.log", None, chunks(b"x" * 900))

        with pytest.raises(FileTooLargeError) as caught:
            await platform.fetch(small, tmp_path / "read.log", 899)

        assert caught.value.limit_bytes == 899
        assert [path.name for path in (tmp_path / "uploads").iterdir()] == [small.id]


@pytest.mark.parametrize("file_id", ["../store.db", "", "x" * 16, "/etc/passwd"])
async def test_an_id_that_is_no_upload_reaches_no_file(tmp_path, file_id):
    async with a_platform(tmp_path) as (platform, _, _):
        with pytest.raises(FileGoneError):
            await platform.fetch(File(file_id, "a.log"), tmp_path / "read.log", 1_000)
        await platform.done_with(File(file_id, "a.log"))

        assert (tmp_path / "store.db").exists()


async def test_files_that_nobody_came_for_are_swept(tmp_path):
    async with a_platform(tmp_path) as (_, rooms, _):
        file = await rooms.around.uploads.receive("a.log", None, chunks(b"x"))
        written = (tmp_path / "uploads" / file.id).stat().st_mtime

        rooms.around.uploads.sweep(written)
        kept = list((tmp_path / "uploads").iterdir())
        rooms.around.uploads.sweep(written + timedelta(seconds=1).total_seconds())

        assert len(kept) == 1
        assert list((tmp_path / "uploads").iterdir()) == []


async def test_nothing_is_taken_in_while_the_bot_is_not_running(tmp_path):
    async with a_platform(tmp_path) as (_, rooms, log):
        with pytest.raises(UnreachableError):
            await rooms.say(Draft(Person("ada", "Ada"), "incidents", "a secret"))

        assert await log.after(0, 10) == []
