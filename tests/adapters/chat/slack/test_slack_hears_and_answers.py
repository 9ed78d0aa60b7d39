"""What is said around the bot: over Socket Mode and signed HTTP, against a Slack that behaves like Slack."""

import asyncio

import pytest

from adapters.chat.interface import Reply, Trigger
from tests.adapters.chat.slack.small_bot import SmallBot, bot_of, card_of, thread_of, until
from tests.fakes.slack.records import SlackSettings
from tests.fakes.slack.stage import SlackStage
from tests.fakes.slack.workspace import Workspace
from tests.fakes.stage import Upload

LOG = 'File "core.py:743", in <module> raise Error & more'


async def test_a_paste_is_heard_as_it_was_typed_and_answered_in_its_thread(stage: SlackStage) -> None:
    said = await stage.say(LOG)
    answer = await stage.next_answer()
    assert answer.thread == said.id
    assert LOG in answer.text
    assert answer.buttons == ("Again",)
    await stage.settled()
    assert len(stage.answers()) == 1
    (heard,) = bot_of(stage).inbox.messages
    assert (heard.trigger, heard.text, heard.author.is_bot) == (Trigger.SAID, LOG, False)


async def test_text_files_are_heard_with_their_message_and_pictures_are_not(stage: SlackStage) -> None:
    files = [
        Upload("a.log", b"Traceback"),
        Upload("shot.png", b"\x89PNG", "image/png"),
        Upload("b", b"x", None),
    ]
    await stage.say("look", files=files)
    await stage.settled()
    (heard,) = bot_of(stage).inbox.messages
    assert [file.name for file in heard.files] == ["a.log", "b"]
    assert heard.text == "look"


async def test_a_mention_is_two_events_and_one_message(stage: SlackStage) -> None:
    await stage.mention(LOG)
    await stage.settled()
    (heard,) = bot_of(stage).inbox.messages
    assert (heard.trigger, heard.text) == (Trigger.MENTION, LOG)
    assert len(stage.answers()) == 1


async def test_a_reply_in_a_thread_belongs_to_it(stage: SlackStage) -> None:
    head = await stage.say("first")
    reply = await stage.say("second", thread=head)
    await stage.settled()
    assert {one.ref.id: one.ref.place.thread for one in bot_of(stage).inbox.messages} == {
        head.id: None,
        reply.id: head.id,
    }
    assert {one.thread for one in stage.answers()} == {head.id}


async def test_a_direct_message_asks_and_a_private_channel_only_says(stage: SlackStage) -> None:
    stage.workspace.channel("secret", kind="group")
    await stage.say("here", channel="dm-ann")
    await stage.say("there", channel="secret")
    await stage.settled()
    assert {one.text: one.trigger for one in bot_of(stage).inbox.messages} == {
        "here": Trigger.MENTION,
        "there": Trigger.SAID,
    }


async def test_an_edit_is_heard_once_and_other_changes_are_not(stage: SlackStage) -> None:
    said = await stage.say("first")
    await stage.next_answer()  # Slack now also sends a change of the parent: it has a reply
    await stage.edit(said, "second")
    await stage.settled()
    assert [(one.text, one.trigger, one.ref.id) for one in bot_of(stage).inbox.messages] == [
        ("first", Trigger.SAID, said.id),
        ("second", Trigger.EDITED, said.id),
    ]


async def test_a_mention_that_is_edited_in_asks(stage: SlackStage) -> None:
    said = await stage.say("what is this?")
    await stage.edit(said, "@vllm-triage what is this?")
    await stage.settled()
    assert [one.trigger for one in bot_of(stage).inbox.messages] == [Trigger.SAID, Trigger.MENTION]


async def test_what_is_delivered_again_is_known(stage: SlackStage) -> None:
    said = await stage.mention("once", files=[Upload("a.log", b"x")])
    await stage.settled()
    await stage.deliver_again(said)
    await stage.settled()
    assert len(bot_of(stage).inbox.events) == 1
    assert bot_of(stage).inbox.repeated >= 3
    assert len(stage.answers()) == 1


async def test_other_bots_go_by_their_bot_id_and_our_own_messages_are_not_heard(stage: SlackStage) -> None:
    await stage.bot_says("alert one")
    await stage.workspace.bot("webhook", legacy=True).says("general", "alert two")
    await stage.say("hello")
    await stage.settled()
    heard = {one.text: one.author for one in bot_of(stage).inbox.messages}
    assert set(heard) == {"alert one", "alert two", "hello"}
    for text, name in (("alert one", "alertmanager"), ("alert two", "webhook")):
        assert heard[text].is_bot
        assert heard[text].id == stage.workspace.accounts[name].bot_id
        assert heard[text].name == name


async def test_a_deleted_message_is_no_news(stage: SlackStage) -> None:
    said = await stage.say("first")
    await stage.settled()
    await stage.delete(said)
    await stage.settled()
    assert len(bot_of(stage).inbox.events) == 1


async def test_in_a_channel_shared_with_others_only_questions_are_heard(stage: SlackStage) -> None:
    stage.workspace.channel("partners", shared=True)
    await stage.say("unasked", channel="partners")
    await stage.mention("asked", channel="partners")
    await stage.settled()
    assert [one.text for one in bot_of(stage).inbox.messages] == ["asked"]


async def test_an_event_that_could_not_be_kept_comes_again(stage: SlackStage) -> None:
    fails = iter([True, True])

    def before() -> None:
        if next(fails, False):
            raise OSError("the store is away")

    bot_of(stage).inbox.before = before
    await stage.say("first")
    await stage.settled(15)
    (delivery,) = [one for one in stage.workspace.dispatcher.deliveries if one.event.get("text") == "first"]
    assert [attempt.outcome.acked for attempt in delivery.attempts if attempt.outcome] == [False, False, True]
    assert len(stage.answers()) == 1


async def test_nothing_is_acknowledged_before_it_is_kept(stage: SlackStage) -> None:
    kept, begun = asyncio.Event(), asyncio.Event()

    async def before() -> None:
        begun.set()
        await kept.wait()

    bot_of(stage).inbox.before = before
    await stage.say("first")
    await asyncio.wait_for(begun.wait(), 5)
    (delivery,) = stage.workspace.dispatcher.deliveries
    assert not delivery.acked
    kept.set()
    await stage.settled()
    assert delivery.acked


async def test_what_is_not_for_us_is_acknowledged_and_forgotten(stage: SlackStage) -> None:
    stage.workspace.events.rate_limited()
    room = stage.workspace.channel("general")
    for event in (
        {"type": "reaction_added"},
        {"type": "message", "subtype": "channel_join"},
        {"type": "message"},
    ):
        payload = {"type": "event_callback", "team_id": "T0FAKE", "event": {**event, "channel": room.id}}
        stage.workspace.dispatcher.send("events_api", payload)
    await stage.workspace.user("ann").commands("general", "/other", "x")
    await stage.settled()
    assert not stage.workspace.dispatcher.given_up()
    assert not bot_of(stage).inbox.events


async def test_a_long_paste_is_acknowledged_at_once(stage: SlackStage) -> None:
    await stage.say("x" * 11_000)
    await stage.say("y" * 200_000)  # Slack's client makes a file of it
    await stage.settled()
    assert stage.workspace.dispatcher.slowest_ack_s() < 1
    assert {len(one.text) for one in bot_of(stage).inbox.messages} == {11_000, 0}


async def test_an_answer_is_changed_in_its_place(stage: SlackStage) -> None:
    said = await stage.say("first")
    answer = await stage.next_answer()
    (heard,) = bot_of(stage).inbox.messages
    ref = await bot_of(stage).platform.find_reply(thread_of(heard), f"reply-{said.id}")
    assert ref is not None
    assert ref.id == answer.id
    await bot_of(stage).platform.edit(ref, Reply(f"reply-{said.id}", card_of("another")))
    changed = await stage.changed(answer)
    assert "another" in changed.text
    assert await bot_of(stage).platform.find_reply(thread_of(heard), f"reply-{said.id}") == ref


async def test_what_is_being_kept_at_the_end_is_kept(stage: SlackStage) -> None:
    begun, kept = asyncio.Event(), asyncio.Event()
    inbox = bot_of(stage).inbox

    async def before() -> None:
        begun.set()
        await kept.wait()

    inbox.before = before
    bot_of(stage).answers = False
    await stage.say("last words")
    await asyncio.wait_for(begun.wait(), 5)
    stage.workspace.http.away()
    ending = asyncio.create_task(stage.close())
    await until(lambda: not bot_of(stage).platform.is_connected)
    assert not ending.done()
    kept.set()
    await ending
    assert [one.text for one in inbox.messages] == ["last words"]


@pytest.mark.parametrize("mode", ["socket", "http"])
async def test_the_notice_of_a_file_counts_where_its_message_does_not_come(mode: str) -> None:
    async with Workspace(SlackSettings(events=frozenset({"file_shared"})), mode=mode) as workspace:
        stage = SlackStage(workspace, SmallBot.start)
        try:
            await stage.open()
            said = await stage.say("look", files=[Upload("a.log", b"x")])
            answer = await stage.next_answer()
            assert answer.thread == said.id
            (heard,) = bot_of(stage).inbox.messages
            assert [file.name for file in heard.files] == ["a.log"]
        finally:
            await stage.close()
