"""The fakes' own tests: servers and tiny bots, opened and closed cleanly."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from tests.fakes.discord.records import DiscordSettings
from tests.fakes.discord.stage import DiscordStage
from tests.fakes.discord.world import World
from tests.fakes.slack.records import SlackSettings
from tests.fakes.slack.stage import SlackStage
from tests.fakes.slack.workspace import Workspace
from tests.fakes_selftests.discord_echo_bot import DiscordEchoBot
from tests.fakes_selftests.slack_echo_bot import SlackEchoBot

#: patient where a busy machine could be late, quick where Slack makes everybody wait
QUICK = SlackSettings(retry_delays_s=(0.0, 0.01, 0.02), closing_grace_s=0.05, retry_after_s=0)
IMPATIENT = replace(QUICK, ack_timeout_s=0.2)


@asynccontextmanager
async def _slack(settings: SlackSettings, mode: str) -> AsyncIterator[SlackStage]:
    async with Workspace(settings, mode=mode) as opened:
        stage = SlackStage(opened, SlackEchoBot.start)
        await stage.open()
        try:
            yield stage
        finally:
            await stage.close()


@pytest.fixture
async def workspace() -> AsyncIterator[Workspace]:
    """A Slack without a bot."""
    async with Workspace(QUICK) as opened:
        yield opened


@pytest.fixture(params=["socket", "http"])
async def slack(request) -> AsyncIterator[SlackStage]:
    """The same test in both modes."""
    async with _slack(QUICK, request.param) as stage:
        yield stage


@pytest.fixture(params=["socket", "http"])
async def impatient_slack(request) -> AsyncIterator[SlackStage]:
    """Both modes, with little time for acknowledgements."""
    async with _slack(IMPATIENT, request.param) as stage:
        yield stage


@pytest.fixture
async def slack_http() -> AsyncIterator[SlackStage]:
    async with _slack(QUICK, "http") as stage:
        yield stage


@pytest.fixture
async def slack_socket() -> AsyncIterator[SlackStage]:
    async with _slack(QUICK, "socket") as stage:
        yield stage


@pytest.fixture
async def second_bot(slack_socket) -> AsyncIterator[SlackEchoBot]:
    """Another bot of the same app. It must be closed whatever happens: slack_sdk swallows cancellation."""
    bot = await SlackEchoBot.start(slack_socket.workspace.addresses)
    yield bot
    await bot.stop()


@pytest.fixture
async def world() -> AsyncIterator[World]:
    """A Discord without a bot."""
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
