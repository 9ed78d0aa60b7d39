"""The Discord adapter as a bot of its own: events go into a list, answers are posted by the test."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from adapters.chat.discord.options import DiscordOptions, Timing
from adapters.chat.discord.platform import DiscordPlatform, create
from adapters.chat.interface import Card, Click, IncomingMessage, Place, Reply, Visibility
from bot.clock import system_clock
from tests.fakes.discord.records import DiscordAddresses
from tests.fakes.discord.world import World
from tests.fakes.watch import Watch

QUICK = Timing(ready_s=0.01, identify_s=0.0, retry_s=0.01, retry_most_s=0.05, closing_s=1.0)


class Memory:
    """A notebook that outlives bots."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = {}
        self.watch = Watch(lambda: f"{self.pages}")

    async def read(self, key: str) -> str | None:
        return self.pages.get(key)

    async def write(self, key: str, value: str) -> None:
        self.pages[key] = value
        self.watch.notify()


class Kept:
    """An inbox that outlives bots and keeps each event once. `refusing`: so many more events fail."""

    def __init__(self) -> None:
        self.keys: set[str] = set()
        self.events: list[IncomingMessage | Click] = []
        self.refusing = 0
        self.delivered = 0
        self.door = asyncio.Event()
        self.door.set()
        self.watch = Watch(lambda: "\n".join(map(repr, self.events)))

    async def accept(self, event: IncomingMessage | Click) -> bool:
        self.delivered += 1
        self.watch.notify()
        await self.door.wait()
        if self.refusing:
            self.refusing -= 1
            raise ConnectionError("the store is away")
        if self.keys & set(event.delivery_keys):
            return False
        self.keys |= set(event.delivery_keys)
        self.events.append(event)
        self.watch.notify()
        return True

    async def next(self, after: int = 0) -> IncomingMessage:
        return await self.watch.until(
            lambda: self.events[after] if len(self.events) > after else None, f"event {after + 1}"
        )

    @property
    def texts(self) -> list[str]:
        return [event.text for event in self.events if isinstance(event, IncomingMessage)]


class DiscordBot:
    """Implements `RunningBot`."""

    events_url: str | None = None

    def __init__(self, platform: DiscordPlatform, running: asyncio.Task[None]) -> None:
        self.platform = platform
        self.running = running

    @classmethod
    async def start(cls, addresses: object, *, inbox: Kept, **options: object) -> "DiscordBot":
        assert isinstance(addresses, DiscordAddresses)
        platform = create(options_for(addresses, **options))
        return cls(platform, asyncio.create_task(platform.run(inbox)))

    async def stop(self) -> None:
        self.running.cancel()
        await asyncio.gather(self.running, return_exceptions=True)

    async def kill(self) -> None:
        await self.stop()

    async def idle(self) -> None:
        while not (self.platform.is_idle or self.running.done()):  # noqa: ASYNC110 (nobody is told of idleness)
            await asyncio.sleep(0)


def clock_of(world: World) -> Callable[[], datetime]:
    """The time as the fake Discord tells it."""
    return lambda: datetime.fromtimestamp(world.clock.now(), UTC)


def options_for(addresses: DiscordAddresses, **options: object) -> DiscordOptions:
    made = DiscordOptions(
        token=addresses.token,
        clock=system_clock,
        api_url=addresses.api_url,
        gateway_url=addresses.gateway_url,
        timing=QUICK,
    )
    return replace(made, **options)


def card(text: str = "The backend is not supported", **parts: object) -> Card:
    return replace(Card(title=text, summary=f"{text} (certain)"), **parts)


def thread_of(event: IncomingMessage) -> Place:
    """Where the bot says its answer belongs."""
    return replace(event.ref.place, thread=event.ref.place.thread or event.ref.id)


def answer(event: IncomingMessage, reply_id: str = "a1", shown: Card | None = None) -> Reply:
    return Reply(reply_id, shown or card(), handle=event.handle)


def private(event: IncomingMessage, reply_id: str = "a1") -> Reply:
    return Reply(
        reply_id, card(), visibility=Visibility.PRIVATE, recipient=event.author.id, handle=event.handle
    )
