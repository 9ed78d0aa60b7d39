"""One bot per stage for all scenarios: each scenario has a channel of its own."""

from contextlib import AsyncExitStack

import pytest_asyncio

from adapters.chat.interface import Person
from bot.bootstrap import Stage
from tests.fakes.discord.records import DiscordSettings
from tests.fakes.discord.stage import DiscordStage
from tests.fakes.discord.world import World
from tests.fakes.slack.records import SlackSettings
from tests.fakes.slack.stage import SlackStage
from tests.fakes.slack.workspace import Workspace
from tests.scenario.console_stage import ConsoleStage
from tests.scenario.real_bot import RealBot, settings_for

#: rooms of the console
ROOMS = tuple(f"room-{number}" for number in range(60))
ANN = Person("os:ann", "ann")


class Stages:
    """Opens a stage when a test first asks for it."""

    def __init__(self, stack, folders):
        self._stack = stack
        self._folders = folders
        self._open = {}
        self._rooms = iter(ROOMS)

    async def get(self, name):
        if name not in self._open:
            self._open[name] = await self._make(name)
            await self._open[name].open()
            self._stack.push_async_callback(self._open[name].close)
        return self._open[name]

    def new_room(self):
        return next(self._rooms)

    async def _make(self, name):
        folder = self._folders.mktemp(name)

        async def start(addresses):
            return await RealBot.start(settings_for(addresses, folder, channels=ROOMS), Stage(ANN))

        if name == "console":
            return ConsoleStage(start)
        if name == "discord":
            world = await self._stack.enter_async_context(World(DiscordSettings()))
            return DiscordStage(world, start)
        mode = name.removeprefix("slack-")
        workspace = await self._stack.enter_async_context(Workspace(SlackSettings(), mode=mode))
        return SlackStage(workspace, start)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stages(tmp_path_factory):
    async with AsyncExitStack() as stack:
        yield Stages(stack, tmp_path_factory)
