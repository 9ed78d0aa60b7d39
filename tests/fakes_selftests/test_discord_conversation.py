"""The fake Discord against the real discord.py: talk, files, commands, forms, clicks."""

import pytest

from tests.fakes.stage import Upload


async def test_a_message_is_heard_and_answered_with_a_reply(discord_stage):
    said = await discord_stage.say("boom <x> & y")

    answer = await discord_stage.next_answer()

    assert answer.text == "echo: boom <x> & y"
    assert answer.thread == said.id
    assert answer.by_the_bot
    assert answer.buttons == ("Again",)
    assert answer.pings == frozenset()


async def test_a_thread_hangs_on_its_message_and_takes_replies(discord_stage):
    discord_stage.bot.client.in_thread = True
    said = await discord_stage.say("boom")
    answer = await discord_stage.next_answer()
    discord_stage.bot.client.in_thread = False

    await discord_stage.say("more", thread=said)
    second = await discord_stage.next_answer(1)

    assert answer.thread == said.id
    assert second.text == "echo: more"
    assert second.thread == said.id


async def test_a_long_paste_arrives_as_a_text_file_without_content(discord_stage):
    said = await discord_stage.say("x" * 2_001)

    answer = await discord_stage.next_answer()

    assert said.files[0].name == "message.txt"
    assert discord_stage.bot.client.heard[0].content == ""
    assert answer.text.startswith("echo: xxx")


async def test_a_file_without_a_content_type_is_read_from_the_cdn(discord_stage):
    await discord_stage.say("", files=[Upload("vllm.log", b"RuntimeError: x", None)])

    answer = await discord_stage.next_answer()

    assert answer.text == "echo: RuntimeError: x"
    assert discord_stage.bot.client.heard[0].attachments[0].content_type is None


async def test_a_command_with_text_and_a_file_is_answered_in_private(discord_stage):
    await discord_stage.command("boom ", file=Upload("a.log", b"in a file"))

    answer = await discord_stage.next_answer()

    assert answer.text == "you said boom in a file"
    assert answer.private_to == "ann"
    assert answer.edits == 0
    assert not any(message.loading for message in discord_stage.world.messages)
    assert discord_stage.bot.client.errors == []


async def test_an_empty_command_opens_a_form_with_a_file_field(discord_stage):
    form = await discord_stage.open_form()

    await discord_stage.submit_form(form, {"Log": "a log ", "File": Upload("b.log", b"and a file")})
    answer = await discord_stage.next_answer()

    assert form.fields == ("Log", "File")
    assert answer.text == "form: a log and a file"


async def test_a_form_without_its_required_field_cannot_be_sent(discord_stage):
    form = await discord_stage.open_form()

    with pytest.raises(AssertionError, match="'Log' is required"):
        await discord_stage.submit_form(form, {})


async def test_a_pressed_button_changes_the_message_in_place(discord_stage):
    await discord_stage.say("hello")
    answer = await discord_stage.next_answer()

    await discord_stage.press(answer, "Again", person="bob")
    changed = await discord_stage.changed(answer)

    assert changed.text == "again, bob"
    assert changed.buttons == ()
    assert len(discord_stage.answers()) == 1


async def test_a_context_menu_carries_the_message(discord_stage):
    said = await discord_stage.say("hello")
    await discord_stage.next_answer()
    message = discord_stage.world.channel("general").messages[said.id]

    await discord_stage.world.user("bob").uses_menu(message, "Diagnose")
    answer = await discord_stage.next_answer(1)

    assert answer.text == "menu: hello"
    assert answer.private_to == "bob"


async def test_edits_other_bots_and_repeated_deliveries_are_heard(discord_stage):
    said = await discord_stage.bot_says("alert")
    await discord_stage.next_answer()
    await discord_stage.deliver_again(said)
    await discord_stage.next_answer(1)

    await discord_stage.edit(said, "other")
    client = discord_stage.bot.client
    await client.watch.until(lambda: client.edited or None, "the edit")

    heard = [message for message in client.heard if message.author.name == "alertmanager"]
    assert [message.id for message in heard] == [int(said.id)] * 2
    assert heard[0].author.bot
    assert client.edited[0].data["content"] == "other"


async def test_a_direct_message_is_heard(discord_stage):
    await discord_stage.say("psst", channel="dm-ann")

    answer = await discord_stage.next_answer(channel="dm-ann")

    assert answer.text == "echo: psst"
    assert answer.private_to == "ann"


async def test_a_restarted_bot_is_found_again(discord_stage):
    await discord_stage.restart()

    await discord_stage.say("hello")

    assert (await discord_stage.next_answer()).text == "echo: hello"
