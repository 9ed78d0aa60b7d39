"""One Slack workspace with people, channels and the app under test, served on a loopback port.

`async with Workspace(mode="socket") as workspace:` starts it; the bot connects with `workspace.addresses`.
The parts do the work: `api` (Web API), `sockets` and `http` (delivery), `events`, `faults`, `forms`.
"""

from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.fakes.clock import Clock
from tests.fakes.faults import Faults
from tests.fakes.slack.channel import Channel, Stamps
from tests.fakes.slack.delivery.dispatcher import Dispatcher
from tests.fakes.slack.delivery.events import Events, described_file
from tests.fakes.slack.delivery.signed_http import SignedHttp
from tests.fakes.slack.delivery.socket_mode import SocketMode
from tests.fakes.slack.people import Person
from tests.fakes.slack.reading import readable
from tests.fakes.slack.records import (
    Account,
    Message,
    OpenView,
    Payload,
    SlackAddresses,
    SlackSettings,
    StoredFile,
)
from tests.fakes.slack.responses import Responses
from tests.fakes.slack.web_api import WebApi
from tests.fakes.watch import Watch

BOT = Account("U0TRIAGE", "vllm-triage", "B0TRIAGE", "A0TRIAGE")


class Workspace:
    """A working Slack. Everything ever posted stands in `messages` in the order of arrival."""

    def __init__(self, settings: SlackSettings | None = None, *, mode: str = "socket") -> None:
        self.settings = settings or SlackSettings()
        self.clock = Clock()
        self.faults = Faults()
        self.watch = Watch(self._described)
        self.stamps = Stamps(self.clock)
        self.accounts: dict[str, Account] = {BOT.name: BOT}
        self.channels: dict[str, Channel] = {}
        self.files: dict[str, StoredFile] = {}
        self.groups: dict[str, list[str]] = {}
        #: groups that somebody switched off
        self.groups_off: set[str] = set()
        self.views: list[OpenView] = []
        self.messages: list[Message] = []
        self.dispatcher = Dispatcher(self.settings, self.watch)
        self.sockets = SocketMode(self.settings, self.watch, "A0TRIAGE")
        self.http = SignedHttp(self.settings, "a-signing-secret")
        self.dispatcher.transport = self.sockets if mode == "socket" else self.http
        self.responses = Responses(self)
        self.api = WebApi(self)
        self._mode = mode
        self._runner: web.AppRunner | None = None
        self.addresses: SlackAddresses
        self.events: Events

    async def __aenter__(self) -> Self:
        self._runner = web.AppRunner(self.api.application(), access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        port = self._runner.addresses[0][1]
        self.addresses = SlackAddresses(
            mode=self._mode,
            api_url=f"http://127.0.0.1:{port}/api/",
            bot_token="xoxb-1-fake",
            app_token="xapp-1-fake",
            signing_secret="a-signing-secret",
            team_id="T0FAKE",
            app_id="A0TRIAGE",
            bot_user_id=BOT.id,
            bot_id="B0TRIAGE",
        )
        self.events = Events(self.settings, self.dispatcher, self.stamps, self.addresses)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.faults.release()
        await self.dispatcher.close()
        await self.sockets.close()
        await self.http.close()
        if self._runner:
            await self._runner.cleanup()

    @property
    def base_url(self) -> str:
        return self.addresses.api_url.removesuffix("api/")

    def user(self, name: str) -> Person:
        """The person of that name, who joins on first mention and is in every channel they speak in."""
        account = self.accounts.setdefault(name, Account(f"U{len(self.accounts):07d}", name))
        return Person(self, account)

    def bot(self, name: str, *, legacy: bool = False) -> Person:
        """Another bot; `legacy` is an incoming webhook, which posts `subtype: bot_message` without a user."""
        number = len(self.accounts)
        app_id = None if legacy else f"A{number:07d}"
        account = self.accounts.setdefault(name, Account(f"U{number:07d}", name, f"B{number:07d}", app_id))
        return Person(self, account)

    def channel(
        self, name: str, *, kind: str = "channel", with_bot: bool = True, shared: bool = False
    ) -> Channel:
        """The channel of that name, made on first use with these options; `dm-NAME` is a direct channel."""
        if name not in self.channels:
            kind = "im" if name.startswith("dm-") else kind
            letter = {"channel": "C", "group": "G", "im": "D"}[kind]
            members = {BOT.id} if with_bot else set()
            self.channels[name] = Channel(self.stamps.id(letter), name, kind, members, shared)
        return self.channels[name]

    def keep(self, message: Message, channel: Channel) -> Message:
        """Add a message to its channel and tell the app; used by people and by the Web API."""
        message.payload.setdefault("ts", self.stamps.ts())
        if message.private_to:
            channel.ephemerals.append(message)
        else:
            first_reply_to = channel.add(message)
            self.events.posted(message, channel)
            if first_reply_to and self.settings.parent_changes_on_reply:
                self.events.changed(first_reply_to, dict(first_reply_to.payload), channel)
        self.messages.append(message)
        self.watch.notify()
        return message

    def shown_file(self, file: StoredFile) -> Payload:
        return described_file(file, self.base_url, connect=file.connect)

    def by_id(self, user_or_channel_id: str) -> Any:
        """The account or channel with this id, or None."""
        known: list[Any] = [*self.accounts.values(), *self.channels.values()]
        return next((one for one in known if one.id == user_or_channel_id), None)

    def _described(self) -> str:
        lines = [
            f"  #{one.channel_id} {one.author.name}: {readable(one.payload)[:100]!r}"
            for one in self.messages[-8:]
        ]
        calls = [f"  {call.method} -> {call.result}" for call in self.api.calls[-8:]]
        open_ones = [one for one in self.dispatcher.deliveries if not one.done]
        return "\n".join(
            [*lines, *calls, f"  {len(self.sockets.sockets)} sockets, {len(open_ones)} deliveries open"]
        )
