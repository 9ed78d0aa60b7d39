"""The real bot, wired by `bootstrap`, as the stages start and stop it. Not tests."""

import asyncio
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from bot.bootstrap import Stage, running
from bot.settings import ConsoleSettings, DiscordSettings, FixedSettings, SlackSettings, StoreSettings
from bot.store.upkeep.retention import SqlRetention
from tests.fakes.discord.records import DiscordAddresses
from tests.fakes.slack.records import SlackAddresses


def settings_for(addresses, folder: Path, *, channels=("general",), allowed_bots=()) -> FixedSettings:
    """The settings that an operator would write for the servers of a stage."""
    slack, discord = SlackSettings(), DiscordSettings()
    if isinstance(addresses, SlackAddresses):
        is_socket = addresses.mode == "socket"
        slack = SlackSettings(
            bot_token=addresses.bot_token,
            app_token=addresses.app_token if is_socket else "",
            signing_secret="" if is_socket else addresses.signing_secret,
            delivery=addresses.mode,
            api_url=addresses.api_url,
            allowed_bots=allowed_bots,
        )
    if isinstance(addresses, DiscordAddresses):
        discord = DiscordSettings(
            token=addresses.token,
            api_url=addresses.api_url,
            gateway_url=addresses.gateway_url,
            allowed_bots=allowed_bots,
        )
    return FixedSettings(
        state_dir=folder,
        console=ConsoleSettings(port=0, channels=channels),
        store=StoreSettings(url=f"sqlite+aiosqlite:///{folder}/store.db"),
        slack=slack,
        discord=discord,
    )


class RealBot:
    """Implements `tests.fakes.stage.RunningBot`, in this process."""

    def __init__(self) -> None:
        self.events_url = None
        self.bot = None
        self._stack = AsyncExitStack()

    @classmethod
    async def start(cls, settings, stage=None) -> "RealBot":
        real = cls()
        real.bot = await real._stack.enter_async_context(running(settings, stage or Stage()))
        if settings.slack.is_configured and settings.slack.delivery == "http":
            real.events_url = f"{real.bot.listener.url}/slack/events"
            # Slack never repeats a command that came before /readyz was green
            with suppress(TimeoutError):
                async with asyncio.timeout(20):
                    while await real.bot.faults():
                        pass
        return real

    async def stop(self) -> None:
        await self._stack.aclose()

    async def kill(self) -> None:
        raise NotImplementedError("only a process can be killed: see tests/crash")

    async def idle(self) -> None:
        """Nothing that was heard waits to be kept, and nothing that was kept waits for its answer."""
        store = SqlRetention(self.bot.database)
        while await store.waiting() or not all(self._is_idle()):
            pass

    def _is_idle(self):
        return [getattr(one.platform, "is_idle", True) for one in self.bot.connections._connections.values()]
