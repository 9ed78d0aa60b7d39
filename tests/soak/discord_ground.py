"""Discord as the ground of a soak. Its gateway waits for no acknowledgement: only commands have one."""

from collections import Counter
from contextlib import suppress

from tests.fakes.discord.reading import buttons
from tests.fakes.discord.records import DiscordSettings, Message
from tests.fakes.discord.stage import DiscordStage
from tests.fakes.discord.world import World
from tests.fakes.faults import Weather
from tests.fakes.watch import NeverHappenedError
from tests.soak.ground import PATIENCE_S, Ground

#: as strict as Discord: five requests in five seconds for each route and channel
STRICT = DiscordSettings(bucket_limit=5, bucket_window_s=5.0)


class DiscordGround(Ground):
    """A guild."""

    #: what answers a command cannot be repeated by anybody, so the weather is that of the channels
    weather = Weather(share_429=0.02, share_5xx=0.02, share_lost=0.01, retry_after_s=1, routes="*/channels/*")

    def __init__(self, world: World, start) -> None:
        super().__init__(DiscordStage(world, start), start, world.addresses)
        self.faults = world.faults
        self._world = world

    async def connected(self) -> None:
        await self._world.gateway.ready(2, PATIENCE_S)

    async def disconnect(self, number: int) -> str:
        trouble = self._world.trouble
        acts = (
            ("dropped", trouble.drop),
            ("asked to reconnect", trouble.ask_to_reconnect),
            ("sessions lost", trouble.invalidate),
        )
        kind, act = acts[number % len(acts)]
        act()
        return f"gateway {kind}"

    async def command(self, text: str, channel: str) -> None:
        begun = self._world.interactions.begun
        before = len(begun)
        await self.stage.command(text, channel=channel)
        with suppress(NeverHappenedError):
            await self.stage.watch.until(lambda: begun[before].answered_at, "an acknowledgement", 10.0)

    def acks_s(self) -> list[float]:
        begun = self._world.interactions.begun
        return [one.answered_at - one.created_at for one in begun if one.answered_at is not None]

    def late_acks(self) -> int:
        return sum(one.answered_at is None for one in self._world.interactions.begun)

    def given_up(self) -> int:
        return 0

    def cards(self) -> Counter[str]:
        own = self._world.bot_user
        mine = (one for one in self._world.messages if one.author == own)
        shown = (one for one in mine if not one.deleted and not one.loading and buttons(one.payload))
        return Counter(map(self._thread, shown))

    def _thread(self, message: Message) -> str:
        reference = message.payload.get("message_reference")
        return (
            str(reference["message_id"]) if reference else f"#{self._world.channels[message.channel_id].name}"
        )
