"""SIGTERM ends the program promptly although no platform answers."""

import socket
import time

import pytest

from tests.crash.killing import PATIENCE_S, environment_of
from tests.fakes.discord.records import DiscordAddresses
from tests.fakes.process import BotProcess
from tests.fakes.slack.records import SlackSettings
from tests.fakes.slack.workspace import Workspace

#: seconds that the end may take on a busy machine
PROMPT_S = 12.0


@pytest.fixture
def silent_port():
    """A port that takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def closed_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@pytest.mark.parametrize("port", ["silent_port", "closed_port"])
async def test_the_bot_ends_while_slack_and_discord_are_away(port, tmp_path, request):
    number = request.getfixturevalue(port)
    there = f"127.0.0.1:{number}"
    async with Workspace(SlackSettings()) as workspace:
        slack = environment_of(workspace.addresses, tmp_path)
    slack["VLLM_DIAGNOSE_SLACK__API_URL"] = f"http://{there}/api/"
    discord = environment_of(DiscordAddresses(f"http://{there}", f"ws://{there}", "a.b.c", 1, 2), tmp_path)
    bot = await BotProcess.start(["-m", "tests.crash.program"], {**discord, **slack}, within_s=PATIENCE_S)

    began = time.monotonic()
    await bot.stop(PROMPT_S)

    assert bot._process.returncode == 0
    assert time.monotonic() - began < PROMPT_S
