"""The fakes' own tests: servers and tiny bots, opened and closed cleanly."""

from collections.abc import AsyncIterator

import pytest

from tests.fakes.discord.records import DiscordSettings
from tests.fakes.discord.stage import DiscordStage
from tests.fakes.discord.world import World
from tests.fakes.slack.records import SlackSettings
from tests.fakes.slack.stage import SlackStage
from tests.fakes.slack.workspace import Workspace
from tests.fakes_selftests.discord_echo_bot import DiscordEchoBot
from tests.fakes_selftests.slack_echo_bot import SlackEchoBot

QUICK = SlackSettings(
    ack_timeout_s=0.5, retry_delays_s=(0.0, 0.01, 0.02), closing_grace_s=0.05, retry_after_s=0
)


@pytest.fixture
async def workspace() -> AsyncIterator[Workspace]:
    async with Workspace(QUICK) as opened:
        yield opened


@pytest.fixture(params=["socket", "http"])
async def slack(request) -> AsyncIterator[SlackStage]:
    async with Workspace(QUICK, mode=request.param) as opened:
        stage = SlackStage(opened, SlackEchoBot.start)
        await stage.open()
        yield stage
        await stage.close()


@pytest.fixture
async def slack_http() -> AsyncIterator[SlackStage]:
    async with Workspace(QUICK, mode="http") as opened:
        stage = SlackStage(opened, SlackEchoBot.start)
        await stage.open()
        yield stage
        await stage.close()


@pytest.fixture
async def slack_socket() -> AsyncIterator[SlackStage]:
    async with Workspace(QUICK) as opened:
        stage = SlackStage(opened, SlackEchoBot.start)
        await stage.open()
        yield stage
        await stage.close()


@pytest.fixture
async def second_bot(slack_socket) -> AsyncIterator[SlackEchoBot]:
    """Another bot of the same app. It must be closed whatever happens: slack_sdk swallows cancellation."""
    bot = await SlackEchoBot.start(slack_socket.workspace.addresses)
    yield bot
    await bot.stop()


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with World(DiscordSettings(heartbeat_interval_ms=100)) as opened:
        yield opened


@pytest.fixture
async def discord_stage(world) -> AsyncIterator[DiscordStage]:
    stage = DiscordStage(world, DiscordEchoBot.start)
    await stage.open()
    yield stage
    await stage.close()


@pytest.fixture
async def second_discord_bot(discord_stage) -> AsyncIterator[DiscordEchoBot]:
    """Another process with the same token."""
    bot = await DiscordEchoBot.start(discord_stage.world.addresses)
    yield bot
    await bot.stop()
