"""The same scenarios over Socket Mode and signed HTTP, against a Slack that behaves like Slack."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from adapters.chat.interface import Reply, Trigger
from tests.adapters.chat.slack.small_bot import SmallBot, card_of, thread_of
from tests.fakes.faults import Fault
from tests.fakes.slack.records import ALL_EVENTS, SlackSettings
from tests.fakes.slack.stage import SlackStage
from tests.fakes.slack.workspace import Workspace
from tests.fakes.stage import Upload

LOG = 'File "core.py:743", in <module> raise Error & more'
SHORTCUT = "vllm_diagnose_message"


@pytest.fixture(params=["socket", "http"])
async def stage(request: pytest.FixtureRequest) -> AsyncIterator[SlackStage]:
    settings = SlackSettings(events=ALL_EVENTS | {"file_shared"}, ack_timeout_s=2.0)
    async with Workspace(settings, mode=request.param) as workspace:
        stage = SlackStage(workspace, SmallBot.start)
        try:
            await stage.open()
            yield stage
        finally:
            await stage.close()


def bot_of(stage: SlackStage) -> SmallBot:
    assert isinstance(stage.bot, SmallBot)
    return stage.bot


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


async def test_a_command_with_text_is_answered_where_it_was_given_and_found_again(stage: SlackStage) -> None:
    await stage.command(LOG)
    answer = await stage.next_answer()
    await stage.settled()
    (heard,) = bot_of(stage).inbox.messages
    assert (heard.trigger, heard.text, heard.author.name) == (Trigger.COMMAND, LOG, "ann")
    assert answer.thread is None
    assert answer.private_to is None
    assert "ann: /vllm-diagnose" in answer.text
    assert not answer.pings
    found = await bot_of(stage).platform.find_reply(thread_of(heard), f"reply-{heard.ref.id}")
    assert found is not None
    assert found.id == answer.id
    assert await bot_of(stage).platform.find_reply(thread_of(heard), "another") is None


async def test_a_command_where_the_bot_is_no_member_is_answered_to_whoever_gave_it(stage: SlackStage) -> None:
    stage.workspace.channel("closed", kind="group", with_bot=False)
    await stage.command(LOG, channel="closed")
    answer = await stage.next_answer(channel="closed")
    assert answer.private_to == "ann"
    assert LOG in answer.text


async def test_an_empty_command_opens_a_form_whose_answers_are_heard(stage: SlackStage) -> None:
    form = await stage.open_form()
    assert form.fields == ("Log or traceback", "Log file", "vLLM release", "GPU")
    await stage.submit_form(
        form, {"Log or traceback": LOG, "Log file": Upload("a.log", b"x"), "vLLM release": " 0.11.2 "}
    )
    await stage.next_answer()
    await stage.settled()
    (heard,) = bot_of(stage).inbox.messages
    assert (heard.trigger, heard.text) == (Trigger.FORM, LOG)
    assert dict(heard.fields) == {"release": "0.11.2"}
    assert [file.name for file in heard.files] == ["a.log"]
    assert stage.workspace.views[0].closed


async def test_an_empty_form_is_not_taken_and_says_why(stage: SlackStage) -> None:
    form = await stage.open_form()
    await stage.submit_form(form, {"GPU": "H100"})
    await stage.settled()
    assert stage.workspace.views[0].errors == {"text": "Paste a log or attach a file."}
    assert not bot_of(stage).inbox.events


@pytest.mark.parametrize(
    "fault", [Fault("views.open", status=500), Fault("views.open", status=429, retry_after_s=30)]
)
async def test_a_form_that_cannot_be_opened_is_told_to_whoever_wanted_it(
    stage: SlackStage, fault: Fault
) -> None:
    stage.workspace.faults.plan(replace(fault))
    await stage.command("")
    answer = await stage.next_answer()
    assert answer.private_to == "ann"
    assert "could not be opened" in answer.text
    assert stage.workspace.dispatcher.slowest_ack_s() < 3


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


async def test_a_button_names_what_it_carries_and_who_pressed_it(stage: SlackStage) -> None:
    said = await stage.say("first")
    answer = await stage.next_answer()
    await stage.press(answer, "Again", person="bob")
    await stage.settled()
    (click,) = bot_of(stage).inbox.clicks
    assert (click.action, click.value, click.person.name) == ("again", "1", "bob")
    assert (click.message.id, click.message.place.thread) == (answer.id, said.id)


async def test_the_shortcut_asks_about_anybodys_message_in_a_thread_too(stage: SlackStage) -> None:
    head = await stage.bot_says("an alert")
    reply = await stage.say(LOG, thread=head, person="bob")
    await stage.settled()
    message = stage.workspace.channel("general").find(reply.id)
    assert message
    await stage.workspace.user("ann").uses_shortcut(message, SHORTCUT)
    await stage.settled()
    heard = bot_of(stage).inbox.messages[-1]
    assert (heard.trigger, heard.text, heard.author.name) == (Trigger.SHORTCUT, LOG, "ann")
    assert (heard.ref.id, heard.ref.place.thread) == (reply.id, head.id)


async def test_a_private_answer_is_seen_by_one_person_only(stage: SlackStage) -> None:
    await stage.mention("private please")
    answer = await stage.next_answer()
    assert answer.private_to == "ann"
    assert answer.thread is None  # in a thread that has not begun nobody would see it
    await stage.command("private too")
    answer = await stage.next_answer(after=1)
    assert answer.private_to == "ann"


async def test_a_private_answer_stays_in_a_thread_that_has_begun(stage: SlackStage) -> None:
    head = await stage.say("first")
    await stage.next_answer()
    await stage.mention("private please", thread=head)
    answer = await stage.next_answer(after=1)
    assert (answer.private_to, answer.thread) == ("ann", head.id)


async def test_a_private_answer_in_a_direct_channel_stays_there(stage: SlackStage) -> None:
    await stage.say("private please", channel="dm-ann")
    answer = await stage.next_answer(channel="dm-ann")
    assert answer.id in {one.ts for one in stage.workspace.channel("dm-ann").messages}


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
