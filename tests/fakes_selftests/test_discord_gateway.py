"""The gateway against the real discord.py: resume, reconnects, invalid sessions, intents, shards."""

import asyncio

import pytest

from tests.fakes.discord.records import DiscordSettings
from tests.fakes.discord.stage import DiscordStage
from tests.fakes.discord.world import World
from tests.fakes_selftests.discord_echo_bot import Client, DiscordEchoBot, point_to
from tests.fakes_selftests.quiet_imports import discord


async def test_heartbeats_are_sent_and_answered(discord_stage):
    gateway = discord_stage.world.gateway

    await discord_stage.world.watch.until(lambda: gateway.connections[0].heartbeats >= 3, "three heartbeats")

    assert discord_stage.bot.client.latency < 1


async def test_a_message_missed_while_the_connection_was_cut_is_replayed_on_resume(discord_stage):
    gateway = discord_stage.world.gateway
    discord_stage.world.trouble.refuse()
    await discord_stage.world.watch.until(lambda: not gateway.connections, "the connection to break")
    await discord_stage.say("in the gap")
    discord_stage.world.trouble.accept()

    answer = await discord_stage.next_answer()

    assert answer.text == "echo: in the gap"
    assert gateway.resumed == 1
    assert gateway.dialled[-1] == "/gateway/resume"
    assert len(gateway.sessions) == 1


async def test_a_request_to_reconnect_is_followed_by_a_resume(discord_stage):
    discord_stage.world.trouble.ask_to_reconnect()
    await discord_stage.world.watch.until(lambda: discord_stage.world.gateway.resumed, "the resume")

    await discord_stage.say("hello")

    assert (await discord_stage.next_answer()).text == "echo: hello"


async def test_an_invalid_session_loses_what_was_said_meanwhile(discord_stage):
    gateway = discord_stage.world.gateway
    discord_stage.world.trouble.invalidate()
    await discord_stage.say("lost")
    await discord_stage.world.watch.until(lambda: len(gateway.sessions) == 2, "a second IDENTIFY")

    await discord_stage.say("heard")
    answer = await discord_stage.next_answer()

    assert answer.text == "echo: heard"
    assert [message.content for message in discord_stage.bot.client.heard][:1] == ["heard"]
    history = [
        message.content
        async for message in discord_stage.bot.client.get_channel(
            int(discord_stage.world.channel("general").id)
        ).history(oldest_first=True, limit=1)
    ]
    assert history == ["lost"]


async def test_a_wrong_token_is_refused_by_rest_and_gateway(world):
    point_to(world.addresses)
    client = Client(discord.Intents.none())
    async with client:
        with pytest.raises(discord.LoginFailure):
            await client.login("wrong")


async def test_a_token_that_was_reset_ends_the_connection(world):
    point_to(world.addresses)
    async with Client(discord.Intents.none()) as client:
        await client.login(world.addresses.token)
        client.http.token = "reset"

        with pytest.raises(discord.ConnectionClosed) as closed:
            await asyncio.wait_for(client.connect(), 5)

    assert closed.value.code == 4004


async def test_a_privileged_intent_must_be_switched_on_in_the_portal():
    async with World(DiscordSettings(message_content=False)) as world:
        bot = await DiscordEchoBot.start(world.addresses)

        with pytest.raises(discord.PrivilegedIntentsRequired):
            await asyncio.wait_for(bot.running, 5)

        await bot.stop()


async def test_without_the_content_intent_only_mentions_and_replies_are_readable():
    async def start(addresses: object) -> DiscordEchoBot:
        return await DiscordEchoBot.start(addresses, content=False)

    async with World(DiscordSettings(message_content=False)) as world:
        stage = DiscordStage(world, start)
        await stage.open()
        await stage.say("secret")
        await stage.next_answer()
        await stage.mention("open")
        await stage.next_answer(1)
        texts = [message.content for message in stage.bot.client.heard if not message.author.bot]
        fetched = await stage.bot.client.heard[0].fetch()
        await stage.close()

    assert texts == ["", f"<@{world.bot_user.id}> open"]
    assert fetched.content == ""


async def test_two_bots_on_one_token_both_hear_everything(discord_stage, second_discord_bot):
    await discord_stage.world.gateway.ready(2)

    await discord_stage.say("hello")
    await discord_stage.next_answer(1)

    assert [answer.text for answer in discord_stage.answers()] == ["echo: hello", "echo: hello"]


async def test_shards_each_get_their_guilds(world):
    point_to(world.addresses)
    world.channel("general")

    class Sharded(discord.AutoShardedClient):
        async def before_identify_hook(self, shard_id, *, initial=False):
            """No five seconds between two shards."""

    intents = discord.Intents(guilds=True, guild_messages=True, message_content=True)
    client = Sharded(intents=intents, shard_count=2, guild_ready_timeout=0.01)
    running = asyncio.create_task(client.start(world.addresses.token))
    await world.gateway.ready(2)
    mine = (int(world.guild_id) >> 22) % 2

    await world.user("ann").says("general", "hello")

    counts = {
        session.shard[0]: [one["t"] for one in session.sent].count("MESSAGE_CREATE")
        for session in world.gateway.sessions
    }
    assert counts == {mine: 1, 1 - mine: 0}
    await client.close()
    await asyncio.gather(running, return_exceptions=True)


async def test_too_few_shards_close_the_connection():
    async with World(DiscordSettings(shards_required=2)) as world:
        bot = await DiscordEchoBot.start(world.addresses)

        with pytest.raises(discord.ConnectionClosed) as closed:
            await asyncio.wait_for(bot.running, 5)

        await bot.stop()
    assert closed.value.code == 4011
