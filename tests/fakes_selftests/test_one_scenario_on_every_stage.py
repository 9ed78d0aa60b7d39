"""One conversation, told once, plays on Slack in both modes and on Discord: the stages speak one language."""

import inspect

import pytest

from tests.fakes.discord.stage import DiscordStage
from tests.fakes.slack.stage import SlackStage
from tests.fakes.stage import Stage, Upload

STAGES = ["slack_http", "slack_socket", "discord_stage"]


@pytest.fixture(params=STAGES)
def stage(request):
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("implementation", [SlackStage, DiscordStage])
def test_stages_have_the_same_acts_with_the_same_arguments(implementation):
    acts = {
        name: act for name, act in inspect.getmembers(Stage, inspect.isfunction) if not name.startswith("_")
    }

    for name, act in acts.items():
        assert inspect.signature(getattr(implementation, name)) == inspect.signature(act), name


async def test_a_mention_with_a_long_paste_keeps_the_mention_beside_the_file(stage):
    said = await stage.mention("x" * 12_001)

    await stage.next_answer()

    assert said.text.strip()
    assert said.files[0].content == b"x" * 12_001


async def test_a_paste_is_answered_in_its_thread_and_a_repetition_is_seen(stage):
    said = await stage.say("boom")
    answer = await stage.next_answer()
    await stage.deliver_again(said)
    again = await stage.next_answer(1)
    await stage.settled()

    assert (answer.text, answer.thread, answer.channel) == ("echo: boom", said.id, "general")
    assert again.id != answer.id
    assert len(stage.answers()) == 2


async def test_two_files_are_read(stage):
    await stage.say("", files=[Upload("a.log", b"one "), Upload("b.log", b"two")])

    assert (await stage.next_answer()).text == "echo: one two"


async def test_a_mention_in_a_direct_channel_and_a_reply_in_a_thread_are_answered(stage):
    first = await stage.say("hello", channel="dm-ann")
    answer = await stage.next_answer(channel="dm-ann")
    await stage.say("more", channel="dm-ann", thread=first)
    second = await stage.next_answer(1, channel="dm-ann")

    assert answer.private_to == second.private_to == "ann"


async def test_commands_and_forms_are_answered_in_private_or_by_a_message(stage):
    if stage.name.startswith("slack"):
        stage.bot.home = stage.workspace.channel("general").id

    await stage.command("boom")
    answer = await stage.next_answer()
    form = await stage.open_form(person="bob")
    await stage.submit_form(form, {"Log": "a log"})
    second = await stage.next_answer(1)

    assert (answer.text, answer.private_to) == ("you said boom", "ann")
    assert second.text == "form: a log"


async def test_edits_deletions_and_other_bots_are_told(stage):
    said = await stage.bot_says("alert")
    await stage.next_answer()

    changed = await stage.edit(said, "other")
    await stage.delete(changed)
    await stage.settled()

    assert changed.text == "other"
    assert [answer.text for answer in stage.answers()] == ["echo: alert"]


async def test_pressing_a_button_and_restarting_leave_one_answer(stage):
    await stage.say("hello")
    answer = await stage.next_answer()

    await stage.restart()
    await stage.press(answer, "Again", person="bob")
    changed = await stage.changed(answer)

    assert changed.text == "again, bob"
    assert changed.pings == frozenset()
    assert len(stage.answers()) == 1
