"""A server on each real driver, and bots that relaunch it."""

from contextlib import AsyncExitStack

import pytest

from tests.hosts.whole.served import ComposeServed, DockerServed, ProcessServed, UnitServed
from tests.hosts.whole.whole_bot import WholeBot

DRIVERS = (
    "process",
    *(pytest.param(name, marks=pytest.mark.root) for name in ("docker", "compose", "systemd over ssh")),
)


@pytest.fixture(params=DRIVERS)
async def served(request, tmp_path):
    folder = tmp_path / "host"
    folder.mkdir()
    if request.param == "process":
        found = ProcessServed(folder)
    elif request.param == "systemd over ssh":
        found = UnitServed(request.getfixturevalue("machine"), folder)
    else:
        kind = DockerServed if request.param == "docker" else ComposeServed
        found = kind(folder, request.getfixturevalue("engine_address"))
    yield found
    await found.clean()


@pytest.fixture
async def a_bot(served, tmp_path):
    """Return what starts a bot for the server."""
    async with AsyncExitStack() as stack:

        async def start(**settings):
            bot = WholeBot(tmp_path, served, **settings)
            stack.push_async_callback(bot.close)
            await bot.open()
            return bot

        yield start
