"""A bot on the Slack adapter that answers everything it hears with a card, and keeps what it heard in memory."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from aiohttp import web

from adapters.chat.interface import (
    Attachment,
    Button,
    Card,
    ChatError,
    Click,
    Code,
    CodeKind,
    IncomingMessage,
    Paragraph,
    Place,
    Reply,
    Section,
    Tone,
    Visibility,
)
from adapters.chat.slack.options import Delivery, SlackOptions, Timing
from adapters.chat.slack.platform import SlackPlatform, create
from tests.fakes.slack.records import SlackAddresses
from tests.fakes.slack.stage import SlackStage
from tests.fakes.watch import Watch

#: short times, so that nothing waits for Slack's long ones
TIMING = Timing(
    request_s=5.0,
    quick_s=1.0,
    ping_s=1.0,
    hello_s=2.0,
    dead_s=0.6,
    watch_s=0.05,
    retry_s=0.02,
    retry_most_s=0.1,
    file_notice_s=0.05,
)


def options_for(addresses: SlackAddresses, **changes: object) -> SlackOptions:
    """The options with which the adapter meets the fake."""
    made = SlackOptions(
        bot_token=addresses.bot_token,
        app_token=addresses.app_token,
        signing_secret=addresses.signing_secret,
        delivery=Delivery(addresses.mode),
        api_url=addresses.api_url,
        timing=TIMING,
        pages_url="https://triage.example.org",
    )
    return replace(made, **changes)


def now() -> datetime:
    return datetime.now(UTC)


def card_of(text: str, *attachments: Attachment) -> Card:
    return Card(
        title="Heard",
        summary=f"Heard: {text[:200]}",
        tone=Tone.WARNING,
        badges=("certain",),
        sections=(
            Section("What", (Paragraph("Run `vllm serve`."), Code(text[:2_000], CodeKind.QUOTE, "quote"))),
        ),
        buttons=(Button("again", "1", "Again", confirm="Really?"),),
        attachments=attachments,
    )


@dataclass
class MemoryInbox:
    """Keeps events by their delivery keys; `accept` may be made to fail or to wait."""

    events: list[IncomingMessage | Click] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    repeated: int = 0
    before: Callable[[], object] | None = None
    watch: Watch = field(init=False)

    def __post_init__(self) -> None:
        self.watch = Watch(lambda: f"{len(self.events)} events, {self.repeated} repeated")

    async def accept(self, event: IncomingMessage | Click) -> bool:
        if self.before:
            result = self.before()
            if asyncio.iscoroutine(result):
                await result
        is_new = not self.keys & set(event.delivery_keys)
        self.keys.update(event.delivery_keys)
        if is_new:
            self.events.append(event)
        else:
            self.repeated += 1
        self.watch.notify()
        return is_new

    @property
    def messages(self) -> list[IncomingMessage]:
        return [event for event in self.events if isinstance(event, IncomingMessage)]

    @property
    def clicks(self) -> list[Click]:
        return [event for event in self.events if isinstance(event, Click)]


class SmallBot:
    """Implements `tests.fakes.stage.RunningBot`."""

    def __init__(self, platform: SlackPlatform, inbox: MemoryInbox, *, answers: bool = True) -> None:
        self.platform = platform
        self.inbox = inbox
        self.events_url: str | None = None
        self.errors: list[ChatError] = []
        self.answers = answers
        self._runner: web.AppRunner | None = None
        self._run: asyncio.Task[None] | None = None
        self._answering: set[asyncio.Task[None]] = set()

    @classmethod
    async def start(
        cls, addresses: object, *, inbox: MemoryInbox | None = None, answers: bool = True, **changes: object
    ) -> "SmallBot":
        assert isinstance(addresses, SlackAddresses)
        inbox = inbox or MemoryInbox()
        bot = cls(create(options_for(addresses, **changes), now), inbox, answers=answers)
        await bot.listen()
        bot._run = asyncio.create_task(bot.platform.run(bot))
        return bot

    async def accept(self, event: IncomingMessage | Click) -> bool:
        is_new = await self.inbox.accept(event)
        if is_new and self.answers and isinstance(event, IncomingMessage) and not event.author.is_bot:
            task = asyncio.create_task(self.answer(event))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
        return is_new

    async def answer(self, event: IncomingMessage) -> None:
        text = event.text + "".join(f" [{one.name}]" for one in event.files)
        private = text.startswith("private")
        reply = Reply(
            id=f"reply-{event.ref.id}",
            card=card_of(text),
            visibility=Visibility.PRIVATE if private else Visibility.PUBLIC,
            recipient=event.author.id if private else None,
            handle=event.handle,
        )
        try:
            await self.platform.post(thread_of(event), reply)
        except ChatError as error:
            self.errors.append(error)

    async def listen(self) -> None:
        if not self.platform.routes():
            return
        application = web.Application()
        application.add_routes(self.platform.routes())
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.events_url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/slack/events"

    async def stop(self) -> None:
        if self._run:
            self._run.cancel()
            await asyncio.gather(self._run, return_exceptions=True)
        if self._runner:
            await self._runner.cleanup()
        for task in self._answering:
            task.cancel()
        await asyncio.gather(*self._answering, return_exceptions=True)

    async def kill(self) -> None:
        await self.stop()

    async def idle(self) -> None:
        await asyncio.gather(*self._answering)


def thread_of(event: IncomingMessage) -> Place:
    return replace(event.ref.place, thread=event.ref.place.thread or event.ref.id)


def bot_of(stage: SlackStage) -> SmallBot:
    assert isinstance(stage.bot, SmallBot)
    return stage.bot


async def until(look: Callable[[], bool]) -> None:
    """Look again after each turn of the loop until it is so."""
    async with asyncio.timeout(10):
        while not look():  # noqa: ASYNC110 (the state of a connection has no event)
            await asyncio.sleep(0)
