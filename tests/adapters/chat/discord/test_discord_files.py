"""Files are read from Discord's own servers alone, within limits, and asked for again when links end."""

from dataclasses import replace

import pytest

from adapters.chat.errors import FileGoneError, FileTooLargeError, UnreachableError
from adapters.chat.interface import File
from tests.fakes.faults import Fault
from tests.fakes.stage import Upload

LIMIT = 1 << 20
READ_MESSAGE = "GET /channels/{channel_id}/messages/{message_id}"


@pytest.fixture
async def event(stage, kept):
    await stage.say("look", files=[Upload("a.log", b"first"), Upload("b.log", b"x" * 200_000, None)])
    return await kept.next()


async def test_files_are_read_whole(event, platform, tmp_path):
    for number, file in enumerate(event.files):
        await platform.fetch(file, tmp_path / str(number), LIMIT)

    assert (tmp_path / "0").read_bytes() == b"first"
    assert (tmp_path / "1").read_bytes() == b"x" * 200_000


async def test_a_file_is_read_after_a_restart(event, stage, tmp_path, world):
    await stage.restart(kill=True)

    await stage.bot.platform.fetch(event.files[0], tmp_path / "a", LIMIT)

    assert (tmp_path / "a").read_bytes() == b"first"
    assert len(world.rest.called(READ_MESSAGE)) == 1


async def test_a_link_that_ended_is_asked_for_again(event, platform, tmp_path, world):
    world.clock.advance(25 * 3600)

    await platform.fetch(event.files[0], tmp_path / "a", LIMIT)

    assert (tmp_path / "a").read_bytes() == b"first"


async def test_the_file_of_a_message_that_is_gone_is_gone(event, stage, kept, tmp_path, world):
    message = next(one for one in world.messages if one.id == event.ref.id)
    message.deleted = True
    await stage.restart(kill=True)

    with pytest.raises(FileGoneError):
        await stage.bot.platform.fetch(event.files[0], tmp_path / "a", LIMIT)


async def test_a_file_that_is_too_large_is_refused_before_and_while_it_is_read(event, platform, tmp_path):
    for file in (
        event.files[1],
        replace(event.files[1], size_bytes=None),
        replace(event.files[1], size_bytes=3),
    ):
        with pytest.raises(FileTooLargeError):
            await platform.fetch(file, tmp_path / "b", 100_000)

    assert (tmp_path / "b").stat().st_size <= 100_000


async def test_the_file_of_a_command_is_read_also_by_another_process(stage, kept, tmp_path):
    await stage.command("look", file=Upload("vllm.log", b"a log"))
    event = await kept.next()
    await stage.restart(kill=True)

    await stage.bot.platform.fetch(event.files[0], tmp_path / "a", LIMIT)

    assert (tmp_path / "a").read_bytes() == b"a log"


async def test_the_file_of_a_command_ends_with_its_link(stage, kept, platform, tmp_path, world):
    await stage.command("look", file=Upload("vllm.log", b"a log"))
    event = await kept.next()
    world.clock.advance(25 * 3600)

    with pytest.raises(FileGoneError):
        await platform.fetch(event.files[0], tmp_path / "a", LIMIT)


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/attachments/1/2/a.log",
        "http://cdn.discordapp.com/attachments/1/2/a.log",
        "https://cdn.discordapp.com.example.org/a.log",
        "https://cdn.discordapp.com@example.org/a.log",
        "https://user@cdn.discordapp.com/a.log",
        "file:///etc/passwd",
        "//cdn.discordapp.com/a.log",
        "",
    ],
)
async def test_no_other_server_is_ever_asked(platform, tmp_path, address):
    with pytest.raises(FileGoneError):
        await platform.fetch(File(f"address:{address}", "a.log"), tmp_path / "a", LIMIT)


async def test_a_server_that_is_away_is_an_error_to_try_again(event, platform, tmp_path, world):
    world.settings = replace(world.settings)
    attachment = event.files[0]
    await platform.fetch(attachment, tmp_path / "a", LIMIT)
    gone = platform._hearing.attachments._addresses
    gone[attachment.id] = gone[attachment.id].replace("/attachments/", "/api/v10/nothing/")

    await platform.fetch(attachment, tmp_path / "again", LIMIT)

    assert (tmp_path / "again").read_bytes() == b"first"


async def test_unknown_kinds_of_files_are_gone(platform, tmp_path):
    with pytest.raises(FileGoneError):
        await platform.fetch(File("something", "a.log"), tmp_path / "a", LIMIT)


async def test_a_message_that_cannot_be_asked_for_is_an_error_to_try_again(event, stage, tmp_path, world):
    await stage.restart(kill=True)
    world.faults.plan(Fault(READ_MESSAGE, times=4, drop=True))

    with pytest.raises(UnreachableError):
        await stage.bot.platform.fetch(event.files[0], tmp_path / "a", LIMIT)
