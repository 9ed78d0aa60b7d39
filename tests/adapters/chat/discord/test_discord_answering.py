"""Replies on Discord: once, where they belong, found again, changed, private where that can be."""

from dataclasses import replace

import pytest

from adapters.chat.discord.ids import PostedId, nonce_of
from adapters.chat.interface import (
    Attachment,
    Button,
    ChatError,
    Code,
    CodeKind,
    MessageRef,
    NotAllowedError,
    Section,
    UnreachableError,
)
from tests.adapters.chat.discord.discord_bot import answer, card, private, thread_of
from tests.fakes.discord.records import Channel
from tests.fakes.faults import Fault

PASTE = "ValueError: No valid attention backend found"
POST = "POST /channels/{channel_id}/messages"
EDIT_PROMISED = "PATCH /webhooks/{application_id}/{token}/messages/{message_id}"


@pytest.fixture
async def event(stage, kept):
    await stage.say(PASTE)
    return await kept.next()


@pytest.fixture
async def asked(stage, kept, world):
    await stage.command(PASTE)
    event = await kept.next()
    await world.watch.until(lambda: world.interactions.begun[0].original, "an acknowledgement")
    return event


async def test_a_reply_hangs_on_the_message_and_pings_nobody(stage, event, platform):
    shown = card("@everyone <@1> it is the backend", buttons=(Button("wrong", "a1", "Wrong"),))

    await platform.post(thread_of(event), answer(event, shown=shown))

    told = await stage.next_answer()
    assert (told.thread, told.buttons, told.pings) == (event.ref.id, ("Wrong",), frozenset())
    assert told.raw["nonce"] == nonce_of("a1")


async def test_a_reply_in_a_thread_stands_in_the_thread(kept, platform, world, stage):
    general = world.channel("general")
    thread = world.open(Channel(world.snowflake(), "vLLM", 11, world.guild_id, general.id, owner_id="1"))
    await world.user("ann").says(thread, PASTE)
    event = await kept.next()

    ref = await platform.post(thread_of(event), answer(event))
    await platform.edit(ref, answer(event, shown=card("Another cause")))

    (told,) = stage.answers()
    assert (told.thread, told.edits) == (thread.id, 1)
    assert "Another cause" in told.text
    assert await platform.find_reply(thread_of(event), "a1") == ref


async def test_a_thread_opened_on_the_paste_takes_the_answer_and_the_earlier_one_is_found(
    stage, event, platform, world
):
    ref = await platform.post(thread_of(event), answer(event))
    general = world.channel("general")
    world.open(Channel(event.ref.id, "vLLM", 11, world.guild_id, general.id, owner_id="1"))
    await stage.settled()

    found = await platform.find_reply(thread_of(event), "a1")
    await platform.post(thread_of(event), answer(event, "a2"))

    assert found == ref
    assert [told.thread for told in stage.answers()] == [event.ref.id, event.ref.id]
    assert stage.world.messages[-1].channel_id == event.ref.id


async def test_a_reply_is_found_again_and_others_are_not(stage, event, platform):
    assert await platform.find_reply(thread_of(event), "a1") is None

    ref = await platform.post(thread_of(event), answer(event))
    await stage.restart(kill=True)

    again = stage.bot.platform
    assert await again.find_reply(thread_of(event), "a1") == ref
    assert await again.find_reply(thread_of(event), "a2") is None


async def test_a_reply_is_found_behind_many_newer_messages(stage, event, platform, world):
    ref = await platform.post(thread_of(event), answer(event))
    for number in range(120):
        await world.user("bob").says("general", f"chatter {number}")

    assert await platform.find_reply(thread_of(event), "a1") == ref


async def test_what_somebody_else_writes_is_never_taken_for_our_reply(event, platform, world, stage):
    ref = await platform.post(thread_of(event), answer(event))
    ours = next(message for message in world.messages if message.id == PostedId.read(ref.id).message)
    copied = await world.user("mallory").says("general", "copied")
    copied.payload["embeds"] = ours.payload["embeds"]
    ours.deleted = True

    assert await platform.find_reply(thread_of(event), "a1") is None


async def test_posting_again_after_a_lost_answer_gives_one_message(stage, event, platform, world):
    world.faults.plan(Fault(POST, drop=True, after_effect=True))

    with pytest.raises(UnreachableError):
        await platform.post(thread_of(event), answer(event))
    await platform.post(thread_of(event), answer(event))

    assert len(stage.answers()) == 1


async def test_a_rate_limit_is_waited_out(stage, event, platform, world):
    world.faults.plan(Fault(POST, times=2, status=429, retry_after_s=0.01))

    await platform.post(thread_of(event), answer(event))

    assert len(stage.answers()) == 1


async def test_a_refusal_is_said_and_the_channel_left_alone_for_a_while(stage, event, platform, world):
    world.channel("general").forbidden.add("SEND_MESSAGES")

    for _ in range(3):
        with pytest.raises(NotAllowedError, match="Send Messages"):
            await platform.post(thread_of(event), answer(event))

    assert len(world.rest.called(POST)) == 1


async def test_a_command_is_answered_in_the_channel_for_all_to_see(stage, asked, platform, world):
    ref = await platform.post(thread_of(asked), answer(asked))

    (told,) = stage.answers()
    assert told.private_to is None
    assert told.text.startswith(f"<@{asked.author.id}>")
    assert told.pings == frozenset()
    assert world.interactions.begun[0].original.deleted
    assert await platform.find_reply(thread_of(asked), "a1") == ref


async def test_a_private_answer_fills_what_was_promised_however_often_it_is_posted(
    stage, asked, platform, world
):
    world.faults.plan(Fault(EDIT_PROMISED, drop=True, after_effect=True))

    with pytest.raises(UnreachableError):
        await platform.post(thread_of(asked), private(asked))
    first = await platform.post(thread_of(asked), private(asked))
    second = await platform.post(thread_of(asked), private(asked))

    (told,) = stage.answers()
    assert told.private_to == "ann"
    assert first == second
    with pytest.raises(NotAllowedError, match="one person"):
        await platform.edit(first, answer(asked))


async def test_after_a_quarter_of_an_hour_a_private_answer_is_a_direct_message(stage, asked, platform, world):
    world.clock.advance(15 * 60 + 1)

    await platform.post(thread_of(asked), private(asked))

    assert stage.answers() == []
    assert len(stage.answers("dm-ann")) == 1


async def test_who_takes_no_direct_messages_is_answered_in_the_channel(stage, asked, platform, world):
    world.clock.advance(15 * 60 + 1)
    world.channel("dm-ann").forbidden.add("SEND_MESSAGES")

    await platform.post(thread_of(asked), private(asked))

    assert [told.private_to for told in stage.answers()] == [None]


async def test_where_the_bot_may_not_speak_a_command_is_answered_in_private(stage, asked, platform, world):
    world.channel("general").forbidden.add("SEND_MESSAGES")

    await platform.post(thread_of(asked), answer(asked))

    assert [told.private_to for told in stage.answers()] == ["ann"]


async def test_who_asked_by_a_message_is_answered_in_the_channel(stage, kept, platform):
    await stage.mention("is this fine?")
    event = await kept.next()

    await platform.post(thread_of(event), private(event))

    assert [told.thread for told in stage.answers()] == [event.ref.id]


async def test_a_press_is_answered_to_the_one_who_pressed(stage, event, kept, platform):
    shown = card(buttons=(Button("approve", "7", "Approve"),))
    await platform.post(thread_of(event), answer(event, shown=shown))
    await stage.press(await stage.next_answer(), "Approve", person="bob")
    click = await kept.next(1)

    reply = replace(private(event, "a2"), handle=click.handle, recipient=click.person.id)
    await platform.post(thread_of(event), reply)

    assert (await stage.next_answer(1)).private_to == "bob"
    assert stage.answers()[0].buttons == ("Approve",)


async def test_a_message_that_was_pointed_at_is_answered_below_it(stage, kept, platform, world):
    said = await world.user("bob").says("general", PASTE)
    await kept.next()
    await world.user("ann").uses_menu(said, "Diagnose with vLLM Triage")
    event = await kept.next(1)

    await platform.post(thread_of(event), answer(event))

    (told,) = stage.answers()
    assert (told.thread, told.private_to) == (said.id, None)
    assert not told.text.startswith("<@")


async def test_files_and_long_parts_go_along_and_an_edit_replaces_them(stage, event, platform):
    long = Section("Log", tuple(Code("x" * 3_000, CodeKind.QUOTE, "log") for _ in range(4)))
    shown = card(sections=(long,), attachments=(Attachment("answer.md", "all of it"),))

    ref = await platform.post(thread_of(event), answer(event, shown=shown))
    (told,) = stage.answers()
    assert [file.name for file in told.files] == ["more.md", "answer.md"]

    await platform.edit(ref, answer(event))
    (told,) = stage.answers()
    assert (told.files, told.edits) == ((), 1)


async def test_an_edit_of_what_is_gone_is_an_error_that_says_so(stage, event, platform):
    ref = await platform.post(thread_of(event), answer(event))
    await stage.delete(await stage.next_answer())

    with pytest.raises(ChatError, match="404"):
        await platform.edit(ref, answer(event))
    with pytest.raises(ChatError, match="no reply of ours"):
        await platform.edit(MessageRef(ref.place, "something"), answer(event))


async def test_where_history_cannot_be_read_the_reply_hangs_on_nothing(stage, event, platform, world):
    world.faults.plan(Fault(POST, status=403, error="160002"))

    await platform.post(thread_of(event), answer(event))

    assert [told.thread for told in stage.answers()] == [None]
