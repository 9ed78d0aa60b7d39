"""One Discord with a guild, its channels and people, and the bot under test, served on a loopback port.

`async with World() as world:` starts it; the bot connects with `world.addresses`. The parts do the work:
`gateway` and `trouble`, `rest`, `interactions`, `faults`.
"""

import itertools
from types import TracebackType
from typing import Self

from aiohttp import web

from tests.fakes.clock import Clock
from tests.fakes.discord import payloads
from tests.fakes.discord.gateway.server import Gateway
from tests.fakes.discord.gateway.trouble import Trouble
from tests.fakes.discord.interactions import Interactions
from tests.fakes.discord.people import Person
from tests.fakes.discord.reading import readable
from tests.fakes.discord.records import (
    DIRECT_MESSAGES,
    GUILD_MESSAGES,
    GUILDS,
    MESSAGE_CONTENT,
    Channel,
    DiscordAddresses,
    DiscordSettings,
    Message,
    Payload,
    StoredFile,
    User,
)
from tests.fakes.discord.rest import Rest
from tests.fakes.faults import Faults
from tests.fakes.watch import Watch

BOT_NAME = "vllm-triage"
TOKEN = "fake.bot.token"


class World:
    """A working Discord. Everything ever posted stands in `messages` in the order of arrival."""

    def __init__(self, settings: DiscordSettings | None = None) -> None:
        self.settings = settings or DiscordSettings()
        self.clock = Clock()
        self.faults = Faults()
        self.watch = Watch(self._described)
        self._count = itertools.count(1)
        self.guild_id = self.snowflake()
        self.bot_user = User(self.snowflake(), BOT_NAME, bot=True)
        self.users: dict[str, User] = {self.bot_user.id: self.bot_user}
        self.channels: dict[str, Channel] = {}
        self.files: dict[str, StoredFile] = {}
        self.commands: dict[str | None, list[Payload]] = {}
        self.messages: list[Message] = []
        self.gateway = Gateway(self.settings, self.watch, TOKEN, self._welcome)
        self.trouble = Trouble(self.gateway)
        self.interactions = Interactions(self)
        self.rest = Rest(self)
        self._runner: web.AppRunner | None = None
        self.addresses: DiscordAddresses
        self.links: payloads.Links

    async def __aenter__(self) -> Self:
        self._runner = web.AppRunner(self.rest.application(), access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        at = f"127.0.0.1:{self._runner.addresses[0][1]}"
        self.addresses = DiscordAddresses(
            f"http://{at}/api/v10", f"ws://{at}/gateway", TOKEN, int(self.bot_user.id), int(self.guild_id)
        )
        self.links = payloads.Links(f"http://{at}/", self.settings.link_lives_s)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.faults.release()
        await self.gateway.close()
        if self._runner:
            await self._runner.cleanup()

    def snowflake(self) -> str:
        """A fresh id that tells the time."""
        milliseconds = int(self.clock.now() * 1_000) - 1_420_070_400_000
        return str((milliseconds << 22) | (next(self._count) & 0x3FFFFF))

    def user(self, name: str, *, bot: bool = False) -> Person:
        """The person (or other bot) of that name, who joins on first mention."""
        for known in self.users.values():
            if known.name == name:
                return Person(self, known)
        made = User(self.snowflake(), name, bot)
        self.users[made.id] = made
        return Person(self, made)

    def channel(self, name: str, *, kind: int = 0) -> Channel:
        """The channel of that name, made on first use; `dm-NAME` is the direct channel with a person."""
        for known in self.channels.values():
            if known.name == name and known.kind != 11:
                return known
        if name.startswith("dm-"):
            person = self.user(name.removeprefix("dm-")).user
            return self.open(Channel(self.snowflake(), name, 1, recipient=person))
        return self.open(Channel(self.snowflake(), name, kind, self.guild_id))

    def open(self, channel: Channel) -> Channel:
        """Add a channel or thread and tell the bots."""
        self.channels[channel.id] = channel
        if channel.guild_id:
            name = "THREAD_CREATE" if channel.kind == 11 else "CHANNEL_CREATE"
            shown = payloads.channel(channel) | ({"newly_created": True} if channel.kind == 11 else {})
            self.gateway.dispatch(name, GUILDS, channel.guild_id, lambda _: shown)
        return channel

    def keep(self, message: Message) -> Message:
        """Add a message to its channel and tell the bots; used by people and by REST."""
        channel = self.channels[message.channel_id]
        if message.private_to:
            channel.ephemerals[message.id] = message
        else:
            channel.messages[message.id] = message
        self.messages.append(message)
        if not message.private_to:
            self.tell("MESSAGE_CREATE", message)
        self.watch.notify()
        return message

    def tell(self, name: str, message: Message) -> None:
        """Dispatch MESSAGE_CREATE or MESSAGE_UPDATE, content hidden where intents say so."""
        channel = self.channels[message.channel_id]
        intent = GUILD_MESSAGES if channel.guild_id else DIRECT_MESSAGES
        extra: Payload = {
            "guild_id": channel.guild_id,
            "member": payloads.member(message.author, alone=False),
        }

        def show(intents: int) -> Payload:
            shown = self.shown(message, full=bool(intents & MESSAGE_CONTENT))
            return shown | (extra if channel.guild_id else {})

        self.gateway.dispatch(name, intent, channel.guild_id, show)
        self.watch.notify()

    def shown(self, message: Message, *, full: bool = True) -> Payload:
        """The message as JSON; `full=False` hides what an app without the content intent may not see."""
        now = self.clock.now()
        attachments = [self.links.attachment(file, now) for file in message.files]
        shown = payloads.message(message, attachments, self.users)
        mentioned = self.bot_user.id in [one["id"] for one in shown["mentions"]]
        own = message.author == self.bot_user or self.channels[message.channel_id].kind == 1
        return shown if full or mentioned or own else payloads.without_content(shown)

    def _welcome(self, shard: int, shards: int) -> tuple[Payload, list[tuple[str, Payload]]]:
        mine = (int(self.guild_id) >> 22) % shards == shard
        guilds = [{"id": self.guild_id, "unavailable": True}] if mine else []
        flags = 1 << 19 if self.settings.message_content else 0
        ready: Payload = {
            "v": 10,
            "user": payloads.user(self.bot_user),
            "guilds": guilds,
            "resume_gateway_url": f"{self.addresses.gateway_url}/resume",
            "application": {"id": self.bot_user.id, "flags": flags},
        }
        guild = payloads.guild(self.guild_id, "Fake", self.bot_user, list(self.channels.values()))
        return ready, [("GUILD_CREATE", guild)] if mine else []

    def _described(self) -> str:
        lines = [f"  {one.author.name}: {readable(one.payload)[:100]!r}" for one in self.messages[-8:]]
        calls = [f"  {call.route} -> {call.result}" for call in self.rest.calls[-8:]]
        return "\n".join([*lines, *calls, f"  {len(self.gateway.connections)} gateway connections"])
