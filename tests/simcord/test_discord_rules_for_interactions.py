"""Discord's rules for commands, forms, menus and buttons, as an independent implementation sees them."""

from dataclasses import dataclass, replace

import pytest
import simcord

from adapters.chat.interface import Button, Card, Reply, Trigger, Visibility

PASTE = "ValueError: No valid attention backend found"
COMMAND = "vllm-diagnose"
MENU = "Diagnose with vLLM Triage"
SHOWN = Card("The backend is not supported", "The backend is not supported @everyone")


@dataclass
class Room:
    env: simcord.Env
    channel: simcord.ChannelHandle
    ann: simcord.MemberActor


@pytest.fixture
async def room(scene) -> Room:
    env, _ = scene
    guild = env.create_guild()
    channel = guild.create_text_channel("general")
    ann = guild.add_member(env.create_user("ann"))
    await env.settle()
    return Room(env, channel, ann)


@pytest.fixture
def platform(scene):
    return scene[1]


def _thread_of(event):
    return replace(event.ref.place, thread=event.ref.place.thread or event.ref.id)


def _own(room, platform):
    return [message for message in room.channel.history() if message.author.id == platform.client.user.id]


async def test_a_command_is_deferred_for_its_person_and_answered_for_all(room, inbox, platform):
    result = await room.ann.slash(room.channel, COMMAND, text=PASTE, log=("vllm.log", b"a log"))
    event = inbox.events[0]
    await platform.post(_thread_of(event), Reply("a1", SHOWN, handle=event.handle))

    assert (result.deferred, event.text, event.trigger) == (True, PASTE, Trigger.COMMAND)
    assert [file.name for file in event.files] == ["vllm.log"]
    assert len(_own(room, platform)) == 1
    assert not _own(room, platform)[0].mention_everyone


async def test_a_private_answer_fills_the_deferral(room, inbox, platform):
    result = await room.ann.slash(room.channel, COMMAND, text=PASTE)
    event = inbox.events[0]
    reply = Reply("a1", SHOWN, Visibility.PRIVATE, event.author.id, event.handle)

    await platform.post(_thread_of(event), reply)

    assert result.response.ephemeral
    assert "not supported" in result.response.content
    assert _own(room, platform) == []


async def test_the_form_opens_and_what_it_holds_is_kept(room, inbox):
    shown = await room.ann.slash(room.channel, COMMAND)
    values = {"text": PASTE, "gpu": "T4", "file": ("a.log", b"a")}
    result = await room.ann.submit_modal(shown, values)

    event = inbox.events[0]
    assert shown.modal["title"] == "Diagnose a failure"
    assert (event.text, event.fields, result.deferred) == (PASTE, {"gpu": "T4"}, True)
    assert [file.name for file in event.files] == ["a.log"]


async def test_the_menu_asks_about_a_message(room, inbox):
    said = await room.ann.send(room.channel, PASTE)

    result = await room.ann.context_menu(room.channel, MENU, said)

    assert result.deferred
    assert [(event.trigger, event.ref.id) for event in inbox.events] == [
        (Trigger.SAID, str(said.id)),
        (Trigger.SHORTCUT, str(said.id)),
    ]


async def test_buttons_are_acknowledged_and_confirmed(room, inbox, platform):
    await room.ann.send(room.channel, PASTE)
    event = inbox.events[0]
    card = replace(SHOWN, buttons=(Button("yes", "1", "Yes"), Button("wrong", "2", "Wrong", confirm="?")))
    ref = await platform.post(_thread_of(event), Reply("a1", card))
    message = _own(room, platform)[0]

    pressed = await room.ann.click(message, label="Yes")
    asked = await room.ann.click(message, label="Wrong")
    confirmed = await room.ann.click(asked.response, label="Wrong")

    assert pressed.acknowledged
    assert asked.response.ephemeral
    assert confirmed.acknowledged
    assert [(click.action, click.message) for click in inbox.events[1:]] == [("yes", ref), ("wrong", ref)]


async def test_nothing_fails_silently(room, inbox, platform):
    await room.ann.send(room.channel, f"{platform.client.user.mention} {PASTE}")
    await room.ann.slash(room.channel, COMMAND, text=PASTE)
    await room.ann.slash(room.channel, COMMAND)

    simcord.assert_no_errors(room.env)
    assert [event.trigger for event in inbox.events] == [Trigger.MENTION, Trigger.COMMAND]
