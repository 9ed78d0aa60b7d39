"""A platform with two bots on it, as a soak sees it. Not for one platform: those stand beside it."""

from abc import ABC, abstractmethod
from collections import Counter

from tests.fakes.faults import Faults, Weather
from tests.fakes.staging import FakeStage

#: a soak is patient: a busy machine must not decide
PATIENCE_S = 300.0


class Ground(ABC):
    """One of the fakes. `second` is the bot beside the stage's own."""

    weather: Weather
    faults: Faults

    def __init__(self, stage: FakeStage, start, addresses) -> None:
        self.stage = stage
        self.second = None
        self._start = start
        self._addresses = addresses
        self._disconnects: Counter[str] = Counter()

    @abstractmethod
    async def connected(self) -> None:
        """Wait until both bots can be reached."""

    @abstractmethod
    async def disconnect(self, number: int) -> str:
        """Break the connections, each time in another way; returns its name."""

    @abstractmethod
    async def command(self, text: str, channel: str) -> None:
        """Somebody asks; returns once the bot has acknowledged that, or never will."""

    @abstractmethod
    def acks_s(self) -> list[float]:
        """Seconds until each acknowledgement."""

    @abstractmethod
    def late_acks(self) -> int:
        """Deliveries that were not acknowledged in time."""

    @abstractmethod
    def given_up(self) -> int:
        """Deliveries that nobody acknowledged and that the platform will not repeat."""

    @abstractmethod
    def cards(self) -> Counter[str]:
        """How many cards stand in each thread; outside of threads under `#channel`."""

    async def open(self) -> None:
        """Start both bots; from then on things go wrong."""
        await self.stage.open()
        self.second = await self._start(self._addresses)
        await self.connected()
        self.faults.weather = self.weather

    async def close(self) -> None:
        """Stop both."""
        self.faults.weather = Weather()
        self.faults.release()
        if self.second:
            await self.second.stop()
        await self.stage.close()

    async def breathe(self) -> None:
        """Wait until the bots have heard everything."""
        await self.stage._all_heard(PATIENCE_S)

    async def break_connections(self, number: int) -> None:
        """Break them, and count it."""
        self._disconnects[await self.disconnect(number)] += 1

    def seen_faults(self) -> dict[str, int]:
        """All that went wrong, by kind."""
        return {**self.faults.seen, **self._disconnects}
