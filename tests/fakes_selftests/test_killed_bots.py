"""Bots in processes of their own, killed with an answer half given: what is shown and delivered then."""

import dataclasses
import json
from pathlib import Path

import pytest

from tests.fakes.discord.records import DiscordAddresses, DiscordSettings
from tests.fakes.discord.stage import DiscordStage
from tests.fakes.discord.world import World
from tests.fakes.process import BotProcess
from tests.fakes.slack.records import SlackSettings
from tests.fakes.slack.stage import SlackStage
from tests.fakes.slack.workspace import Workspace
from tests.fakes.watch import NeverHappenedError

ROOT = str(Path(__file__).parents[2])


async def start(addresses: object) -> BotProcess:
    platform = "discord" if isinstance(addresses, DiscordAddresses) else "slack"
    environment = {"ECHO_ADDRESSES": json.dumps(dataclasses.asdict(addresses)), "PYTHONPATH": ROOT}
    return await BotProcess.start(["-m", "tests.fakes_selftests.echo_process", platform], environment)


@pytest.mark.parametrize("mode", ["socket", "http"])
async def test_a_killed_slack_bot_had_posted_and_hears_new_events_after_its_restart(mode):
    async with Workspace(SlackSettings(), mode=mode) as workspace:
        stage = SlackStage(workspace, start)
        await stage.open()
        gate = workspace.faults.hold("chat.postMessage", after_effect=True)
        await stage.say("first")
        await gate.reached()

        await stage.restart(kill=True)
        gate.open()
        await stage.say("second")
        await stage.next_answer(1)
        await stage.close()

        assert [answer.text for answer in stage.answers()] == ["echo: first", "echo: second"]


async def test_an_unacknowledged_event_goes_to_the_next_process():
    async with Workspace(SlackSettings()) as workspace:
        stage = SlackStage(workspace, start)
        await stage.open()
        await stage.bot.kill()
        await workspace.watch.until(lambda: not workspace.sockets.sockets, "the socket to close")
        await stage.say("hello")

        await stage.open()
        answer = await stage.next_answer()
        await stage.close()

    assert answer.text == "echo: hello"


async def test_a_killed_discord_bot_comes_back_with_a_new_session():
    async with World(DiscordSettings()) as world:
        stage = DiscordStage(world, start)
        await stage.open()
        gate = world.faults.hold("POST /channels/{channel_id}/messages")
        await stage.say("first")
        await gate.reached()

        await stage.restart(kill=True)
        await stage.say("second")
        await stage.next_answer()
        await stage.close()

        assert [answer.text for answer in stage.answers()] == ["echo: second"]
        assert len(world.gateway.sessions) == 2


async def test_a_program_that_says_nothing_is_reported():
    with pytest.raises(NeverHappenedError, match="line of JSON"):
        await BotProcess.start(["-c", "print('hello')"], {})
