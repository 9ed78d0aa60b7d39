"""What is said on Discord reaches the inbox, once, with its place, its files and its trigger."""

import functools

import pytest

from adapters.chat.discord.options import Mode
from adapters.chat.interface import Trigger
from tests.adapters.chat.discord.discord_bot import DiscordBot, answer, thread_of
from tests.fakes.discord.records import Channel, Message
from tests.fakes.discord.stage import DiscordStage
from tests.fakes.stage import Upload

PASTE = "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."


def _keep(world, name, *, bot=True, **payload):
    """Post a message as only programs and Discord itself can."""
    author = world.user(name, bot=bot).user
    made = {"id": world.snowflake(), "content": "", **payload}
    return world.keep(Message(made, world.channel("general").id, author))


async def test_what_is_said_in_a_channel_is_delivered_with_its_place(stage, kept, world):
    said = await stage.say(PASTE)

    event = await kept.next()

    assert (event.text, event.trigger, event.ref.id) == (PASTE, Trigger.SAID, said.id)
    assert (event.ref.place.team, event.ref.place.channel) == (world.guild_id, world.channel("general").id)
    assert event.ref.place.thread is None
    assert (event.author.name, event.author.is_bot) == ("Ann", False)


async def test_a_long_paste_arrives_as_a_file_with_no_text(stage, kept):
    await stage.say("x" * 5_000)

    event = await kept.next()

    assert event.text == ""
    assert [(file.name, file.size_bytes) for file in event.files] == [("message.txt", 5_000)]


async def test_files_that_cannot_be_logs_are_left_alone(stage, kept):
    files = [
        Upload("screen.png", b"png", "image/png"),
        Upload("a.log", b"a", None),
        Upload("b.json", b"{}", "application/json"),
    ]

    await stage.say("look", files=files)

    assert [file.name for file in (await kept.next()).files] == ["a.log", "b.json"]


async def test_a_mention_is_somebody_asking_and_our_name_is_taken_out(stage, kept):
    await stage.mention(PASTE)

    event = await kept.next()

    assert (event.trigger, event.text) == (Trigger.MENTION, PASTE)


async def test_a_direct_message_is_somebody_asking(stage, kept):
    await stage.say(PASTE, channel="dm-ann")

    event = await kept.next()

    assert (event.trigger, event.ref.place.team) == (Trigger.MENTION, "@me")


async def test_a_reply_belongs_to_the_thread_of_what_it_answers(stage, kept, platform):
    said = await stage.say(PASTE)
    first = await kept.next()
    await platform.post(thread_of(first), answer(first))

    await stage.say("the GPU is a T4", thread=(await stage.next_answer()))
    second = await kept.next(1)
    await stage.say("and vLLM is 0.11.2", thread=said)
    third = await kept.next(2)

    assert second.ref.place.thread == third.ref.place.thread == said.id
    assert second.trigger is Trigger.SAID


async def test_a_reply_to_a_reply_belongs_to_the_same_thread(stage, kept, world):
    ann = world.user("ann")
    first = await ann.says("general", PASTE)
    second = await ann.says("general", "one", reply_to=first)
    third = await ann.says("general", "two", reply_to=second)
    await ann.says("general", "three", reply_to=third)

    event = await kept.next(3)

    assert event.ref.place.thread == first.id


async def test_a_reply_to_the_answer_of_a_command_belongs_to_the_command(stage, kept, platform):
    await stage.command(PASTE)
    asked = await kept.next()
    await platform.post(thread_of(asked), answer(asked))
    await stage.restart()

    await stage.say("the GPU is a T4", thread=(await stage.next_answer()))

    assert (await kept.next(1)).ref.place.thread == asked.ref.id


@pytest.mark.parametrize("parent_kind", [0, 15])
async def test_a_message_in_a_thread_or_forum_post_belongs_to_it(stage, kept, world, parent_kind):
    parent = world.channel("help", kind=parent_kind)
    thread = Channel(world.snowflake(), "vLLM dies", 11, world.guild_id, parent.id, owner_id="1")
    post = world.open(thread)

    await world.user("ann").says(post, PASTE)

    event = await kept.next()
    assert (event.ref.place.channel, event.ref.place.thread) == (parent.id, post.id)


async def test_a_message_that_is_delivered_again_is_kept_once(stage, kept):
    said = await stage.say(PASTE)
    await kept.next()

    await stage.deliver_again(said)
    await stage.settled()

    assert len(kept.events) == 1
    assert kept.delivered == 2


async def test_an_edit_is_delivered_when_the_text_differs(stage, kept):
    said = await stage.say("look at this")
    await kept.next()

    await stage.edit(said, PASTE)

    event = await kept.next(1)
    assert (event.trigger, event.text, event.ref.id) == (Trigger.EDITED, PASTE, said.id)


async def test_a_preview_that_discord_adds_is_no_edit(stage, kept, world):
    said = await world.user("ann").says("general", "see https://example.org")
    said.payload["embeds"] = [{"type": "link", "title": "Example"}]
    world.tell("MESSAGE_UPDATE", said)
    edited = await world.user("ann").edits(said, "see https://example.com")
    world.tell("MESSAGE_UPDATE", edited)

    await stage.settled()

    assert [event.trigger for event in kept.events] == [Trigger.SAID, Trigger.EDITED]


async def test_bots_are_marked_and_what_their_embeds_say_is_read(stage, kept, world):
    embed = {"type": "rich", "title": "vLLM down", "fields": [{"name": "log", "value": PASTE}]}
    _keep(world, "alertmanager", embeds=[embed])

    event = await kept.next()

    assert event.author.is_bot
    assert event.text == f"vLLM down\nlog: {PASTE}"


async def test_what_a_webhook_says_is_said_by_a_bot(stage, kept, world):
    _keep(world, "deploys", bot=False, content=PASTE, webhook_id="77")

    assert (await kept.next()).author.is_bot


async def test_what_is_forwarded_is_read(stage, kept, world):
    inner = {
        "type": 0,
        "content": PASTE,
        "embeds": [],
        "attachments": [],
        "timestamp": "2026-12-01T09:00:00+00:00",
        "edited_timestamp": None,
        "flags": 0,
        "components": [],
        "mentions": [],
        "mention_roles": [],
    }
    reference = {"type": 1, "message_id": "5", "channel_id": "6"}
    _keep(world, "ann", bot=False, message_reference=reference, message_snapshots=[{"message": inner}])

    event = await kept.next()

    assert (event.text, event.ref.place.thread) == (PASTE, None)


async def test_our_own_words_and_notices_are_not_heard(stage, kept, platform, world):
    await stage.say(PASTE)
    event = await kept.next()
    await platform.post(thread_of(event), answer(event))
    _keep(world, "ann", bot=False, type=6, content="pinned a message")
    await stage.settled()

    assert kept.texts == [PASTE]


@pytest.mark.parametrize("mode", [Mode.MENTION, Mode.SHORTCUT])
async def test_other_modes_hear_only_what_is_said_to_the_bot(world, kept, mode):
    stage = DiscordStage(world, functools.partial(DiscordBot.start, inbox=kept, mode=mode))
    await stage.open()

    await stage.say(PASTE)
    await stage.mention("help")
    await stage.settled()

    assert kept.texts == (["help"] if mode is Mode.MENTION else [])
    await stage.close()


async def test_an_event_that_cannot_be_kept_is_tried_again(stage, kept):
    kept.refusing = 1

    await stage.say(PASTE)

    assert (await kept.next()).text == PASTE


async def test_an_event_that_failed_for_long_is_read_again_from_the_channel(stage, kept):
    await stage.settled()
    kept.refusing = 4

    await stage.say(PASTE)

    assert (await kept.next()).text == PASTE
    assert kept.delivered >= 5
