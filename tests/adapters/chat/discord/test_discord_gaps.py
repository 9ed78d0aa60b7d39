"""Gaps are read again, refusals end the bot with a sentence, and it ends whatever Discord does."""

import asyncio
import functools
import socket
from dataclasses import replace

import pytest

from adapters.chat.discord.gateway.catching_up import HEARD, LISTENING
from adapters.chat.discord.options import CatchingUp
from adapters.chat.discord.platform import create
from adapters.chat.errors import NotAllowedError, UnreachableError
from adapters.chat.interface import Trigger
from tests.adapters.chat.discord.discord_bot import (
    QUICK,
    DiscordBot,
    Kept,
    Memory,
    answer,
    clock_of,
    options_for,
    thread_of,
)
from tests.fakes.discord.records import Channel, DiscordAddresses, DiscordSettings
from tests.fakes.discord.stage import DiscordStage
from tests.fakes.discord.world import World
from tests.fakes.faults import Fault
from tests.fakes.stage import Upload

HISTORY = "GET /channels/{channel_id}/messages"


async def _while_away(stage, act):
    """Let something happen while no bot is there."""
    await stage.bot.kill()
    await act()
    await stage.open()
    await stage.settled()


async def test_what_was_said_while_the_bot_was_away_is_heard_once(stage, kept, world):
    thread = world.open(
        Channel(world.snowflake(), "t", 11, world.guild_id, world.channel("general").id, owner_id="1")
    )
    await stage.say("before")
    await kept.next()

    async def talk():
        await stage.say("missed", files=[Upload("a.log", b"a")])
        await world.user("bob").says(thread, "missed too")

    await _while_away(stage, talk)
    await stage.restart()
    await stage.settled()

    assert sorted(kept.texts) == ["before", "missed", "missed too"]


async def test_an_edit_that_was_missed_is_heard_once(stage, kept, world):
    said = await stage.say("before")
    await kept.next()

    await _while_away(stage, functools.partial(stage.edit, said, "after"))
    await stage.restart()
    await stage.settled()

    assert [(event.text, event.trigger) for event in kept.events] == [
        ("before", Trigger.SAID),
        ("after", Trigger.EDITED),
    ]


async def test_nothing_is_read_on_the_first_start(world, kept, notebook):
    await world.user("ann").says("general", "long ago")
    start = functools.partial(DiscordBot.start, inbox=kept, notebook=notebook, clock=clock_of(world))
    stage = DiscordStage(world, start)
    await stage.open()
    await stage.settled()
    await stage.restart()
    await stage.settled()
    await stage.close()

    assert kept.events == []
    assert set(notebook.pages) >= {LISTENING, HEARD}


async def test_a_bot_that_died_before_it_was_ready_the_first_time_misses_nothing(world, kept, notebook):
    slow = replace(QUICK, ready_s=60.0)
    first = await DiscordBot.start(
        world.addresses, inbox=Kept(), notebook=notebook, clock=clock_of(world), timing=slow
    )
    await world.gateway.ready()
    await world.user("ann").says("general", "first words")
    await first.kill()

    stage = DiscordStage(
        world, functools.partial(DiscordBot.start, inbox=kept, notebook=notebook, clock=clock_of(world))
    )
    await stage.open()

    assert (await kept.next()).text == "first words"
    await stage.close()


async def test_what_is_too_long_ago_is_left_alone(stage, kept, world):
    await stage.settled()

    async def talk():
        await stage.say("old")
        world.clock.advance(2 * 3600)
        await stage.say("new")

    await _while_away(stage, talk)

    assert kept.texts == ["new"]


async def test_of_very_many_messages_the_newest_are_read(world, kept, notebook):
    few = CatchingUp(limit=3)
    start = functools.partial(
        DiscordBot.start, inbox=kept, notebook=notebook, clock=clock_of(world), catching_up=few
    )
    stage = DiscordStage(world, start)
    await stage.open()
    await stage.settled()

    async def talk():
        for number in range(6):
            await stage.say(f"message {number}")

    await _while_away(stage, talk)

    assert kept.texts == ["message 3", "message 4", "message 5"]
    await stage.close()


async def test_a_channel_that_may_not_be_read_does_not_keep_others_from_it(stage, kept, world):
    world.channel("secret").forbidden.add("READ_MESSAGE_HISTORY")
    await stage.settled()

    async def talk():
        await stage.say("a secret", channel="secret")
        await stage.say("missed")

    await _while_away(stage, talk)

    assert kept.texts == ["missed"]


async def test_a_channel_that_cannot_be_read_right_now_holds_up_no_other(world, kept, notebook):
    slow = replace(QUICK, retry_s=3600.0, retry_most_s=3600.0)
    start = functools.partial(
        DiscordBot.start, inbox=kept, notebook=notebook, clock=clock_of(world), timing=slow
    )
    stage = DiscordStage(world, start)
    await stage.open()
    await stage.settled()
    await stage.bot.kill()
    world.faults.plan(Fault(HISTORY, status=503))
    for channel in ("first", "second", "third"):
        await stage.say(f"said in {channel}", channel=channel)

    await stage.open()
    await kept.next(after=1)

    assert len(kept.texts) == 2
    await stage.close()


async def test_what_was_heard_is_not_kept_again_after_a_gap(stage, kept, world):
    await stage.settled()
    for number in range(20):
        await stage.say(f"message {number}")
    await stage.settled()
    delivered = kept.delivered

    world.trouble.invalidate()
    await stage.say("in the gap")
    await kept.next(after=20)
    await stage.settled()

    assert kept.delivered == delivered + 1


async def test_reading_again_is_repeated_until_it_works(stage, kept):
    await stage.settled()

    async def talk():
        await stage.say("missed")
        kept.refusing = 2

    await _while_away(stage, talk)

    assert kept.texts == ["missed"]


async def test_a_dropped_connection_is_resumed_without_reading_again(stage, kept, world):
    await stage.settled()
    read = len(world.rest.called(HISTORY))

    world.trouble.drop()
    await stage.say("meanwhile")

    assert (await kept.next()).text == "meanwhile"
    assert len(world.rest.called(HISTORY)) == read


async def test_a_lost_session_is_made_up_for(stage, kept, world):
    await stage.settled()
    world.trouble.invalidate()
    await stage.say("in the gap")

    assert (await kept.next()).text == "in the gap"


async def test_the_note_moves_on_with_what_is_heard(stage, kept, world, notebook):
    await stage.settled()
    before = notebook.pages[HEARD]
    world.clock.advance(60)

    await stage.say("hello")
    await stage.settled()
    await stage.say("again")
    await stage.settled()

    assert notebook.pages[HEARD] > before


async def test_a_missing_intent_is_said_with_where_to_switch_it_on():
    async with World(DiscordSettings(message_content=False)) as world:
        platform = create(options_for(world.addresses))

        with pytest.raises(NotAllowedError, match=r"Message Content Intent.*reads_content"):
            await platform.run(Kept())

        listening = create(options_for(world.addresses, reads_content=False))
        running = asyncio.create_task(listening.run(kept := Kept()))
        await world.gateway.ready()
        await world.user("ann").says("general", "not for us")
        await world.user("ann").says("general", "@vllm-triage for us")
        assert (await kept.next()).text == "for us"
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def test_a_wrong_token_is_said(world):
    platform = create(options_for(replace(world.addresses, token="wrong")))

    with pytest.raises(NotAllowedError, match="token"):
        await platform.run(Kept())


async def test_too_many_guilds_for_one_connection_are_said_and_shards_help():
    async with World(DiscordSettings(shards_required=2)) as world:
        world.channel("general")
        with pytest.raises(NotAllowedError, match="sharded"):
            await create(options_for(world.addresses)).run(Kept())

        kept = Kept()
        bot = await DiscordBot.start(world.addresses, inbox=kept, sharded=True, notebook=Memory())
        await world.gateway.ready(2)
        await world.user("ann").says("general", "hello")
        assert (await kept.next()).text == "hello"
        event = await kept.next()
        await bot.platform.post(thread_of(event), answer(event))
        await asyncio.wait_for(bot.stop(), 5)


@pytest.fixture
def nobody_there() -> DiscordAddresses:
    with socket.create_server(("127.0.0.1", 0)) as closing:
        at = f"127.0.0.1:{closing.getsockname()[1]}"
    return DiscordAddresses(f"http://{at}/api/v10", f"ws://{at}/gateway", "fake.bot.token", 1, 1)


async def test_it_ends_at_once_while_discord_cannot_be_reached(nobody_there):
    bot = await DiscordBot.start(nobody_there, inbox=Kept())
    for _ in range(20):
        await asyncio.sleep(0)

    await asyncio.wait_for(bot.stop(), 2)

    assert bot.running.cancelled()


async def test_a_reply_while_discord_cannot_be_reached_is_an_error_to_try_again(nobody_there, kept, stage):
    await stage.say("hello")
    event = await kept.next()
    bot = await DiscordBot.start(nobody_there, inbox=Kept(), timing=replace(QUICK, connection_s=0.05))

    with pytest.raises(UnreachableError):
        await bot.platform.post(thread_of(event), answer(event))

    await bot.stop()


async def test_it_ends_while_the_gateway_takes_nobody(stage, world):
    world.trouble.refuse()

    await asyncio.wait_for(stage.bot.stop(), 5)

    assert not stage.bot.platform.is_connected


async def test_it_connects_when_discord_comes_back(world, kept):
    world.gateway.open = False
    stage = DiscordStage(world, functools.partial(DiscordBot.start, inbox=kept, notebook=Memory()))
    opening = asyncio.create_task(stage.open())
    await world.watch.until(lambda: world.rest.called("GET /users/@me"), "a log-in")
    world.gateway.open = True

    await asyncio.wait_for(opening, 10)
    await stage.say("hello")

    assert (await kept.next()).text == "hello"
    await stage.close()
