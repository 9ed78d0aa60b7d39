"""Commands, the form, the menu and buttons: acknowledged in time, kept once, whoever else listens."""

import functools
from dataclasses import replace

import pytest

from adapters.chat.discord.gateway.hearing import COMMANDS
from adapters.chat.discord.ids import Handle
from adapters.chat.interface import Button, Choice, Click, Option, Trigger
from tests.adapters.chat.discord.discord_bot import QUICK, DiscordBot, answer, card, private, thread_of
from tests.fakes.discord.interactions import DEFERRED_MESSAGE, DEFERRED_UPDATE
from tests.fakes.discord.stage import DiscordStage
from tests.fakes.stage import Upload

PASTE = "ValueError: No valid attention backend found"
MENU = "Diagnose with vLLM Triage"


async def _acknowledged(world, number=0):
    return await world.watch.until(
        lambda: found if (found := world.interactions.begun[number]).callback is not None else None,
        "an acknowledgement",
    )


async def test_a_command_is_acknowledged_for_its_person_alone_and_kept(stage, kept, world):
    await stage.command(PASTE, file=Upload("vllm.log", b"a log"))

    event = await kept.next()
    interaction = await _acknowledged(world)

    assert (event.trigger, event.text, event.language) == (Trigger.COMMAND, PASTE, "en-US")
    assert [file.name for file in event.files] == ["vllm.log"]
    assert Handle.read(event.handle).is_pending
    assert (interaction.callback, interaction.original.private_to) == (DEFERRED_MESSAGE, "ann")


async def test_a_command_without_anything_opens_the_form_and_the_form_is_kept(stage, kept):
    form = await stage.open_form()
    values = {"Log or traceback": PASTE, "Log file": Upload("a.log", b"a"), "GPU": "T4", "vLLM release": " "}

    await stage.submit_form(form, values)

    event = await kept.next()
    assert (event.trigger, event.text, event.fields) == (Trigger.FORM, PASTE, {"gpu": "T4"})
    assert [file.name for file in event.files] == ["a.log"]


async def test_a_form_that_another_process_opened_is_kept(stage, kept):
    form = await stage.open_form()
    await stage.restart(kill=True)

    await stage.submit_form(form, {"Log or traceback": PASTE})

    assert (await kept.next()).text == PASTE


async def test_pointing_at_a_message_asks_about_it(stage, kept, world):
    said = await world.user("bob").says("general", PASTE, files=[Upload("a.log", b"a")])
    await kept.next()

    await world.user("ann").uses_menu(said, MENU)

    event = await kept.next(1)
    assert (event.trigger, event.text, event.ref.id) == (Trigger.SHORTCUT, PASTE, said.id)
    assert (event.author.name, [file.name for file in event.files]) == ("Ann", ["a.log"])


async def test_a_press_is_kept_with_what_its_button_carries(stage, kept, platform, world):
    said = await stage.say(PASTE)
    event = await kept.next()
    shown = card(buttons=(Button("approve", "plan.7:x", "Approve"),))
    ref = await platform.post(thread_of(event), answer(event, shown=shown))

    await stage.press(await stage.next_answer(), "Approve", person="bob")

    click = await kept.next(1)
    assert isinstance(click, Click)
    assert (click.action, click.value, click.person.name) == ("approve", "plan.7:x", "Bob")
    assert (click.message, click.message.place.thread) == (ref, said.id)
    assert (await _acknowledged(world)).callback == DEFERRED_UPDATE


async def test_a_button_that_wants_to_be_confirmed_asks_before_it_does_anything(stage, kept, platform, world):
    await stage.say(PASTE)
    event = await kept.next()
    shown = card(buttons=(Button("wrong", "a1", "This is wrong", confirm="Is it?"),))
    ref = await platform.post(thread_of(event), answer(event, shown=shown))
    posted = await stage.next_answer()

    await stage.press(posted, "This is wrong")
    question = await stage.next_answer(1)
    assert (question.private_to, len(kept.events)) == ("ann", 1)
    await stage.press(question, "This is wrong")

    click = await kept.next(1)
    assert (click.action, click.value, click.message) == ("wrong", "a1", ref)
    assert (await stage.changed(question)).buttons == ()


async def test_what_is_chosen_is_kept_as_a_press_also_after_a_restart(stage, kept, platform, world):
    said = await stage.say(PASTE)
    event = await kept.next()
    options = tuple(Option(f"a:{number}", f"server {number}") for number in range(30))
    shown = card(
        choices=(Choice("pick", "Which server?", options),), buttons=(Button("wrong", "7", "Wrong"),)
    )
    ref = await platform.post(thread_of(event), answer(event, shown=shown))
    posted = await stage.next_answer()
    assert (len(posted.options), posted.buttons) == (25, ("Wrong",))

    await stage.choose(posted, "server 7", person="bob")

    click = await kept.next(1)
    assert (click.action, click.value, click.person.name) == ("pick", "a:7", "Bob")
    assert (click.message, click.message.place.thread) == (ref, said.id)
    assert (await _acknowledged(world)).callback == DEFERRED_UPDATE
    await stage.restart(kill=True)
    await stage.choose(posted, "server 8")
    assert (await kept.next(2)).value == "a:8"


async def test_buttons_work_after_a_restart(stage, kept, platform):
    await stage.say(PASTE)
    event = await kept.next()
    shown = card(buttons=(Button("approve", "7", "Approve"),))
    await platform.post(thread_of(event), answer(event, shown=shown))
    await stage.restart(kill=True)

    await stage.press(await stage.next_answer(), "Approve")

    assert (await kept.next(1)).action == "approve"


async def test_sending_buttons_leaves_nothing_behind_in_the_library(stage, kept, platform):
    buttons = (Button("approve", "7", "Approve"), Button("wrong", "a", "Wrong", confirm="?"))
    shown = card(buttons=buttons, choices=(Choice("pick", "Which?", (Option("1", "one"),)),))
    await stage.say(PASTE)
    event = await kept.next()
    store = platform.client._connection._view_store

    for number in range(20):
        await platform.post(thread_of(event), answer(event, f"a{number}", shown))

    assert not store._views
    assert not store._synced_message_views
    assert not platform.client.cached_messages


async def test_of_two_processes_one_keeps_and_acknowledges(stage, kept, world):
    second = await DiscordBot.start(world.addresses, inbox=kept)
    await world.gateway.ready(2)
    try:
        await stage.command(PASTE)
        await kept.next()
        await _acknowledged(world)
        await stage.settled()
        await kept.watch.until(lambda: kept.delivered == 2, "both processes to hear")
    finally:
        await second.stop()

    assert len(kept.events) == 1
    assert len(world.rest.called("POST /interactions/{interaction_id}/{token}/callback")) == 1


async def test_a_slow_store_does_not_hold_back_the_acknowledgement(world, kept):
    kept.door.clear()
    timing = replace(QUICK, keeping_s=0.01)
    stage = DiscordStage(world, functools.partial(DiscordBot.start, inbox=kept, timing=timing))
    await stage.open()

    await stage.command(PASTE)
    await _acknowledged(world)
    kept.door.set()

    assert (await kept.next()).text == PASTE
    await stage.close()


async def test_whoever_asks_hears_when_it_could_not_be_kept(stage, kept):
    kept.refusing = 1

    await stage.command(PASTE)

    told = await stage.next_answer()
    assert told.private_to == "ann"
    assert "Try again" in told.text


async def test_an_acknowledgement_that_comes_too_late_loses_nothing(stage, kept, world, platform):
    kept.door.clear()
    await stage.command(PASTE)
    await kept.watch.until(lambda: kept.delivered, "a delivery")
    world.clock.advance(10)
    kept.door.set()
    event = await kept.next()
    await platform.post(thread_of(event), private(event))

    told = await stage.next_answer(channel="dm-ann")

    assert "The backend is not supported" in told.text


async def test_commands_are_registered_when_they_changed(stage, world, notebook):
    told = "PUT /applications/{application_id}/commands"
    await notebook.watch.until(lambda: COMMANDS in notebook.pages, "the note of the commands")
    await stage.restart()
    await stage.settled()
    assert len(world.rest.called(told)) == 1

    notebook.pages[COMMANDS] = "others"
    await stage.restart()
    await world.watch.until(lambda: len(world.rest.called(told)) == 2, "registering again")


async def test_commands_can_be_registered_in_one_guild(world, kept):
    guild = world.addresses.guild_id
    stage = DiscordStage(world, functools.partial(DiscordBot.start, inbox=kept, command_guild=guild))
    await stage.open()

    assert {one["name"] for one in world.commands[str(guild)]} == {"vllm-diagnose", MENU}
    await stage.close()


@pytest.mark.parametrize("text", ["", "   "])
async def test_a_command_with_only_a_file_is_kept(stage, kept, text):
    await stage.command(text, file=Upload("vllm.log", b"a log"))

    assert [file.name for file in (await kept.next()).files] == ["vllm.log"]
