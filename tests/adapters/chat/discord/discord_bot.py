"""The Discord adapter with a small bot behind it: keeps events in a list, answers with a card."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from adapters.chat.discord.options import CatchingUp, DiscordOptions, Timing
from adapters.chat.discord.platform import DiscordPlatform, create
from adapters.chat.interface import Card, Click, IncomingMessage, Reply, Visibility
from tests.fakes.discord.records import DiscordAddresses
from tests.fakes.watch import Watch

QUICK = Timing(ready_s=0.01, identify_s=0.0, retry_s=0.01, retry_most_s=0.05, closing_s=1.0)


class Memory:
    """A notebook that lives as long as the test."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = {}

    async def read(self, key: str) -> str | None:
        return self.pages.get(key)

    async def write(self, key: str, value: str) -> None:
        self.pages[key] = value


class Kept:
    """An inbox that outlives bots; `events` holds each event once."""

    def __init__(self) -> None:
        self.keys: set[str] = set()
        self.events: list[IncomingMessage | Click] = []
        self.watch = Watch(lambda: "\n".join(map(repr, self.events)))

    async def accept(self, event: IncomingMessage | Click) -> bool:
        if self.keys & set(event.delivery_keys):
            return False
        self.keys |= set(event.delivery_keys)
        self.events.append(event)
        self.watch.notify()
        return True

    async def next(self, after: int = 0) -> IncomingMessage | Click:
        return await self.watch.until(
            lambda: self.events[after] if len(self.events) > after else None, f"event {after + 1}"
        )


def card(text: str, **more: object) -> Card:
    return replace(Card(title=text, summary=text), **more)


class DiscordBot:
    """Implements `RunningBot`: the adapter's client, in this process."""

    events_url: str | None = None

    def __init__(self, platform: DiscordPlatform, running: asyncio.Task[None]) -> None:
        self.platform = platform
        self.running = running

    @classmethod
    async def start(
        cls, addresses: object, inbox: Kept, notebook: Memory, **more: object
    ) -> "DiscordBot":
        assert isinstance(addresses, DiscordAddresses)
        options = replace(options_for(addresses, notebook), **more)
        platform = create(options)
        return cls(platform, asyncio.create_task(platform.run(inbox)))

    async def stop(self) -> None:
        self.running.cancel()
        await asyncio.gather(self.running, return_exceptions=True)

    async def kill(self) -> None:
        await self.stop()

    async def idle(self) -> None:
        while not (self.platform.is_idle or self.running.done()):
            await asyncio.sleep(0)


def options_for(addresses: DiscordAddresses, notebook: Memory | None = None) -> DiscordOptions:
    from bot.clock import system_clock

    return DiscordOptions(
        token=addresses.token,
        clock=system_clock,
        notebook=notebook,
        api_url=addresses.api_url,
        gateway_url=addresses.gateway_url,
        timing=QUICK,
        catching_up=CatchingUp(),
    )


def reply_to(event: IncomingMessage, text: str = "It is the backend", reply_id: str = "a1", **more: object) -> Reply:
    reply = Reply(reply_id, card(text, **more), handle=event.handle)
    return reply


def private(reply: Reply, recipient: str) -> Reply:
    return replace(reply, visibility=Visibility.PRIVATE, recipient=recipient)


__all__ = ["Card", "DiscordBot", "Kept", "Mapping", "Memory", "Path", "card", "options_for", "private", "reply_to"]
