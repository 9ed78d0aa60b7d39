"""What the fake Discord refuses, and in which form; rate limits, nonces, interactions, mentions, links."""

import io

import aiohttp
import pytest

from tests.fakes.discord.limits import check_modal
from tests.fakes.discord.mentions import pings
from tests.fakes.discord.records import ApiError, DiscordSettings
from tests.fakes.discord.world import World
from tests.fakes.faults import Fault
from tests.fakes.stage import Upload
from tests.fakes_selftests.discord_echo_bot import Client, point_to
from tests.fakes_selftests.quiet_imports import discord

POST = "POST /channels/{channel_id}/messages"
CALLBACK = "POST /interactions/{interaction_id}/{token}/callback"


@pytest.fixture
async def room(world):
    """A logged-in client without a gateway, and the channel `general` as it sees it."""
    point_to(world.addresses)
    world.channel("general")
    client = Client(discord.Intents.none())
    async with client:
        await client.login(world.addresses.token)
        yield await client.fetch_channel(int(world.channel("general").id))


async def _refusal(awaitable) -> discord.HTTPException:
    with pytest.raises(discord.HTTPException) as refused:
        await awaitable
    return refused.value


async def test_sizes_are_discords(room):
    long = await _refusal(room.send("x" * 2_001))
    empty = await _refusal(room.send(""))
    embed = await _refusal(room.send(embed=discord.Embed(description="x" * 4_097)))
    total = await _refusal(room.send(embeds=[discord.Embed(description="x" * 3_001)] * 2))
    field = await _refusal(room.send(embed=discord.Embed().add_field(name="n", value="x" * 1_025)))

    assert (long.status, long.code) == (400, 50035)
    assert "2000 or fewer" in long.text
    assert empty.code == 50006
    assert "4096 or fewer" in embed.text
    assert "6000" in total.text
    assert "1024 or fewer" in field.text
    assert (await room.send("x" * 2_000)).content == "x" * 2_000


async def test_a_file_over_the_upload_limit_is_refused():
    async with World(DiscordSettings(upload_limit=10)) as world:
        point_to(world.addresses)
        channel_id = int(world.channel("general").id)
        async with Client(discord.Intents.none()) as client:
            await client.login(world.addresses.token)
            channel = await client.fetch_channel(channel_id)
            refused = await _refusal(channel.send(file=discord.File(io.BytesIO(b"x" * 11), "a.md")))

    assert (refused.status, refused.code) == (413, 40005)


async def test_a_missing_permission_is_a_403(world, room):
    world.channel("general").forbidden.add("SEND_MESSAGES")

    refused = await _refusal(room.send("x"))

    assert isinstance(refused, discord.Forbidden)
    assert refused.code == 50013


async def test_a_second_thread_on_one_message_is_refused(room):
    message = await room.send("x")
    await message.create_thread(name="one")

    assert (await _refusal(message.create_thread(name="two"))).code == 160004
    assert (await _refusal((await room.send("y")).create_thread(name="n" * 101))).code == 50035


async def test_a_forum_post_is_a_thread_with_its_first_message(world, room):
    forum = await room.guild.fetch_channel(int(world.channel("help", kind=15).id))

    post = await forum.create_thread(name="boom", content="the log")

    assert post.message.content == "the log"
    assert post.thread.parent_id == forum.id


async def test_reactions_are_kept_and_can_be_forbidden(world, room):
    message = await room.send("x")
    await message.add_reaction("👀")
    world.channel("general").forbidden.add("ADD_REACTIONS")

    assert {(one, emoji) for one, emoji, _ in world.channel("general").reactions} == {(str(message.id), "👀")}
    assert (await _refusal(message.add_reaction("✅"))).code == 50013


def test_a_form_has_limits_too():
    with pytest.raises(ApiError, match="50035"):
        check_modal({"title": "x" * 46, "custom_id": "a", "components": [{"type": 18, "label": "l"}]})
    with pytest.raises(ApiError, match="50035"):
        check_modal({"title": "x", "custom_id": "a", "components": []})


async def test_only_own_messages_can_be_edited(world, room):
    said = await world.user("ann").says("general", "mine")
    message = await room.fetch_message(int(said.id))

    assert (await _refusal(message.edit(content="x"))).code == 50005
    assert (await _refusal(room.fetch_message(1))).code == 10008


async def test_the_same_nonce_gives_the_earlier_message(world, room):
    first = await room.send("x", nonce="incident-1")
    second = await room.send("x", nonce="incident-1")
    world.clock.advance(301)
    third = await room.send("x", nonce="incident-1")

    assert first.id == second.id != third.id
    assert len(world.messages) == 2


async def test_the_history_pages_with_before_and_after(world, room):
    ids = [int((await world.user("ann").says("general", str(number))).id) for number in range(5)]

    newest = [message.content async for message in room.history(limit=2)]
    after = [message.content async for message in room.history(after=discord.Object(ids[1]), limit=None)]
    before = [message.content async for message in room.history(before=discord.Object(ids[2]), limit=None)]

    assert newest == ["4", "3"]
    assert after == ["2", "3", "4"]
    assert before == ["1", "0"]


async def test_a_429_is_waited_out_by_the_library(world, room):
    world.faults.plan(Fault(POST, status=429, retry_after_s=0.01))

    await room.send("x")

    assert [call.result for call in world.rest.called(POST)] == ["planned 429", "200"]


async def test_an_emptied_bucket_makes_the_library_pause_by_itself():
    async with World(DiscordSettings(bucket_limit=2, bucket_window_s=0.05)) as world:
        point_to(world.addresses)
        channel_id = int(world.channel("general").id)
        async with Client(discord.Intents.none()) as client:
            await client.login(world.addresses.token)
            channel = await client.fetch_channel(channel_id)

            for number in range(5):
                await channel.send(str(number))

        assert [call.result for call in world.rest.called(POST)] == ["200"] * 5


async def test_a_lost_answer_leaves_the_message_behind(world, room):
    world.faults.plan(Fault(POST, status=503, after_effect=True))

    refused = await _refusal(room.send("x"))

    assert refused.status == 503
    assert len(world.messages) == 1


async def test_an_attachment_link_expires(world):
    said = await world.user("ann").says("general", "", files=[Upload("a.log", b"boom")])
    url = world.shown(said)["attachments"][0]["url"]

    async with aiohttp.ClientSession() as session:
        async with session.get(url) as fresh:
            content = await fresh.read()
        async with session.get(url.replace("hm=", "hm=0")) as forged:
            forged_status = forged.status
        world.clock.advance(25 * 3_600)
        async with session.get(url) as late:
            late_status = late.status

    assert content == b"boom"
    assert (forged_status, late_status) == (404, 404)


async def test_an_interaction_must_be_answered_within_three_seconds(discord_stage):
    gate = discord_stage.world.faults.hold(CALLBACK)
    await discord_stage.command("boom")
    await gate.reached()
    discord_stage.world.clock.advance(3.1)
    gate.open()

    client = discord_stage.bot.client
    await client.watch.until(lambda: client.errors or None, "the library's complaint")

    assert discord_stage.world.rest.called(CALLBACK)[0].result == "404 10062"
    assert client.errors[0].code == 10062
    assert discord_stage.answers() == []


async def test_an_interaction_is_answered_once_and_its_token_lives_fifteen_minutes(discord_stage):
    world = discord_stage.world
    await discord_stage.command("boom")
    await discord_stage.next_answer()
    begun = world.interactions.begun[0]
    hook = f"{world.addresses.api_url}/webhooks/{world.bot_user.id}/{begun.token}"

    async with aiohttp.ClientSession() as session:
        async with session.post(
            f"{world.addresses.api_url}/interactions/{begun.id}/{begun.token}/callback",
            json={"type": 4, "data": {"content": "x"}},
        ) as twice:
            second = await twice.json()
        async with session.post(hook, json={"content": "more @everyone"}) as more:
            follow_up = await more.json()
        world.clock.advance(15 * 60 + 1)
        async with session.post(hook, json={"content": "late"}) as late:
            too_late = await late.json()

    assert second["code"] == 40060
    assert follow_up["content"] == "more @everyone"
    assert not follow_up["mention_everyone"]
    assert too_late["code"] == 50027


async def test_a_command_must_have_been_registered(discord_stage):
    with pytest.raises(AssertionError, match="no command 'nonsense' is registered"):
        await discord_stage.world.user("ann").commands("general", "nonsense")


async def test_an_unknown_route_is_noted(world, room):
    with pytest.raises(discord.NotFound):
        await room.guild.fetch_stickers()

    assert world.rest.calls[-1].result == "404 unknown route"


def test_pings_follow_allowed_mentions():
    text = {"content": "@everyone <@1> <@&2> @here"}

    assert pings(text, through_webhook=False) == {"everyone", "here", "1", "2"}
    assert pings(text, through_webhook=True) == {"1"}
    assert pings({**text, "allowed_mentions": {"parse": []}}, through_webhook=False) == set()
    assert pings({**text, "allowed_mentions": {"parse": [], "users": ["1"]}}, through_webhook=False) == {"1"}
    assert pings({"content": "x"}, through_webhook=False, replied_to="7") == {"7"}
    none = {"allowed_mentions": {"parse": [], "replied_user": False}}
    assert pings({"content": "x", **none}, through_webhook=False, replied_to="7") == set()
    assert pings(
        {"components": [{"type": 17, "components": [{"type": 10, "content": "@here"}]}]},
        through_webhook=False,
    ) == {"here"}


async def test_a_default_message_pings_and_one_with_none_allowed_does_not(world, room):
    await room.send("@everyone")
    await room.send("@everyone", allowed_mentions=discord.AllowedMentions.none())

    assert [message.pings for message in world.messages] == [{"everyone"}, set()]
    assert world.messages[1].allowed_mentions == {"parse": []}
