"""Whoever asks the bot: commands, forms, shortcuts, mentions, buttons; and what only they see."""

from dataclasses import replace
from functools import partial

import pytest

from adapters.chat.interface import Trigger
from adapters.chat.slack.options import Hearing
from tests.adapters.chat.slack.small_bot import SmallBot, bot_of, thread_of
from tests.fakes.faults import Fault
from tests.fakes.slack.records import SlackSettings
from tests.fakes.slack.stage import SlackStage
from tests.fakes.slack.workspace import Workspace
from tests.fakes.stage import Upload

LOG = 'File "core.py:743", in <module> raise Error & more'
SHORTCUT = "vllm_diagnose_message"


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


@pytest.mark.parametrize("mode", ["socket", "http"])
async def test_where_nothing_is_heard_unasked_a_bare_mention_asks_about_its_thread(mode: str) -> None:
    async with Workspace(SlackSettings(), mode=mode) as workspace:
        stage = SlackStage(workspace, partial(SmallBot.start, hearing=Hearing(unasked=False)))
        try:
            await stage.open()
            head = await stage.say(LOG, files=[Upload("a.log", b"x")], person="bob")
            await stage.say("no idea", thread=head)
            await stage.settled()
            assert not stage.answers()
            await stage.mention("", thread=head)
            await stage.next_answer()
            await stage.mention("with words", thread=head)
            await stage.settled()
            first, second = bot_of(stage).inbox.messages
            assert first.text == f"{LOG}\nno idea"
            assert [file.name for file in first.files] == ["a.log"]
            assert (second.text, second.files) == ("with words", ())
        finally:
            await stage.close()


async def test_a_mention_is_heard_even_when_its_thread_cannot_be_read(stage: SlackStage) -> None:
    bot = bot_of(stage)
    await bot.stop()
    stage.bot = await SmallBot.start(stage.workspace.addresses, hearing=Hearing(unasked=False))
    if stage.bot.events_url:
        stage.workspace.http.open(stage.bot.events_url)
    head = await stage.say("first")
    stage.workspace.faults.plan(Fault("conversations.replies", status=500))
    await stage.mention("", thread=head)
    await stage.next_answer()
    assert [one.text for one in bot_of(stage).inbox.messages] == [""]
