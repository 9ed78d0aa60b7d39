"""The bot's client in simcord: real discord.py, Discord's rules for interactions, no network.

Run by itself, for simcord patches the event loop: `pytest -p no:simcord -p simcord.pytest_plugin tests/simcord`.
"""

import pytest
import simcord

from adapters.chat.discord.options import DiscordOptions, Timing
from adapters.chat.discord.platform import create


class Listed:
    """An inbox that keeps each event once, in a list."""

    def __init__(self):
        self.keys = set()
        self.events = []

    async def accept(self, event):
        if self.keys & set(event.delivery_keys):
            return False
        self.keys |= set(event.delivery_keys)
        self.events.append(event)
        return True


@pytest.fixture
def inbox():
    return Listed()


@pytest.fixture
async def scene(inbox):
    """A guild with a channel and two people, the bot in it."""
    clock = lambda: env.now()  # noqa: E731, PLW0108 (the environment comes after the client)
    options = DiscordOptions(token="token", clock=clock, timing=Timing(ready_s=0.01))
    platform = create(options)
    env = simcord.Env(platform.client)
    async with platform.listening(inbox):
        await env.start()
        yield env, platform
        await env.shutdown()
