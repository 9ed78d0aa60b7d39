"""Slack as the ground of a soak, in either mode."""

from collections import Counter

from tests.fakes.faults import Weather
from tests.fakes.slack.reading import buttons
from tests.fakes.slack.records import Message, SlackSettings
from tests.fakes.slack.stage import SlackStage
from tests.fakes.slack.workspace import BOT, Workspace
from tests.soak.ground import PATIENCE_S, Ground

#: as strict as Slack: one post a second in a channel
STRICT = SlackSettings(posts_per_window=1)
_LOST_AT_ONCE = 10


class SlackGround(Ground):
    """A workspace."""

    weather = Weather(share_429=0.02, share_5xx=0.02, share_lost=0.01, retry_after_s=1)

    def __init__(self, workspace: Workspace, start) -> None:
        super().__init__(SlackStage(workspace, start), start, workspace.addresses)
        self.faults = workspace.faults
        self._workspace = workspace

    async def open(self) -> None:
        await super().open()
        if self.second.events_url:
            self._workspace.http.share(self.second.events_url)

    async def connected(self) -> None:
        if not self.second.events_url:
            await self._workspace.sockets.connected(2, PATIENCE_S)

    async def disconnect(self, number: int) -> str:
        if self.second.events_url:
            self._workspace.http.lost_answers += _LOST_AT_ONCE
            return f"{_LOST_AT_ONCE} acknowledgements lost"
        kind = ("refresh_requested", "dropped", "warning")[number % 3]
        sockets = self._workspace.sockets
        await (sockets.drop() if kind == "dropped" else sockets.disconnect(kind))
        return f"sockets {kind}"

    async def command(self, text: str, channel: str) -> None:
        deliveries = self._workspace.dispatcher.deliveries
        before = len(deliveries)
        await self.stage.command(text, channel=channel)
        (asked,) = (one for one in deliveries[before:] if one.kind == "slash_commands")
        await self.stage.watch.until(lambda: asked.done, "the command to be delivered", PATIENCE_S)

    def acks_s(self) -> list[float]:
        found = (one.latency_s for one in self._workspace.dispatcher.deliveries)
        return [latency for latency in found if latency is not None]

    def late_acks(self) -> int:
        attempts = (one for delivery in self._workspace.dispatcher.deliveries for one in delivery.attempts)
        outcomes = (one.outcome for one in attempts if one.outcome)
        return sum(one.reason in {"timeout", "http_timeout"} for one in outcomes)

    def given_up(self) -> int:
        return len(self._workspace.dispatcher.given_up())

    def cards(self) -> Counter[str]:
        mine = (one for one in self._workspace.messages if one.author.id == BOT.id and not one.deleted)
        shown = (one for one in mine if buttons(one.payload))
        return Counter(map(self._thread, shown))

    def _thread(self, message: Message) -> str:
        """The thread that a card stands in; one that heads a thread with its files stands in none."""
        is_head = message.thread_ts in {None, message.ts}
        return f"#{self._workspace.by_id(message.channel_id).name}" if is_head else str(message.thread_ts)
