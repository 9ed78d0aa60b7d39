"""A Discord of our own, and the adapter connected to it over real sockets."""

import functools
from collections.abc import AsyncIterator

import pytest

from tests.adapters.chat.discord.discord_bot import DiscordBot, Kept, Memory, clock_of
from tests.fakes.discord.stage import DiscordStage
from tests.fakes.discord.world import World


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async with World() as opened:
        yield opened


@pytest.fixture
async def kept() -> Kept:
    return Kept()


@pytest.fixture
def notebook() -> Memory:
    return Memory()


@pytest.fixture
async def stage(world, kept, notebook) -> AsyncIterator[DiscordStage]:
    """The room, with the bot in it."""
    start = functools.partial(DiscordBot.start, inbox=kept, notebook=notebook, clock=clock_of(world))
    opened = DiscordStage(world, start)
    await opened.open()
    yield opened
    await opened.close()


@pytest.fixture
def platform(stage):
    return stage.bot.platform
