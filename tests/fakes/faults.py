"""Things that go wrong on request: errors, rate limits, lost answers, and gates that hold a request.

One list serves both fakes. A route is a Slack method (`chat.postMessage`) or a Discord route
(`POST /channels/{channel_id}/messages`); patterns with `*` are fine.
"""

import asyncio
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from random import Random

from tests.fakes.watch import NeverHappenedError


class Gate:
    """Holds a request until the test opens it: the place to kill a bot between two acts."""

    def __init__(self) -> None:
        self._reached = asyncio.Event()
        self._opened = asyncio.Event()

    async def reached(self, within_s: float = 10.0) -> None:
        """Wait until a request stands at the gate."""
        try:
            await asyncio.wait_for(self._reached.wait(), within_s)
        except TimeoutError:
            raise NeverHappenedError("a request at the gate", within_s, "no request came") from None

    def open(self) -> None:
        """Let every held request go on."""
        self._opened.set()

    async def pass_through(self) -> None:
        """Called by the fake: report the arrival, wait for the opening."""
        self._reached.set()
        await self._opened.wait()


@dataclass
class Fault:
    """One thing that goes wrong, for the next `times` requests on `route`.

    `after_effect` first does what was asked, then fails: the caller cannot know whether it worked.
    With neither `status`, `error` nor `drop` the request is answered normally after the gate.
    """

    route: str
    times: int = 1
    status: int | None = None
    error: str | None = None
    retry_after_s: float | None = None
    after_effect: bool = False
    drop: bool = False
    gate: Gate | None = None

    @property
    def only_holds(self) -> bool:
        return self.status is None and self.error is None and not self.drop


@dataclass(frozen=True)
class Weather:
    """Faults that come by chance, for soaks; shares of all requests, from 0 to 1."""

    share_429: float = 0.0
    share_5xx: float = 0.0
    share_lost: float = 0.0
    retry_after_s: float = 0.0
    routes: str = "*"


@dataclass
class Faults:
    """What goes wrong next. `seen` counts the faults that were played, by kind."""

    chance: Random = field(default_factory=lambda: Random(1))  # noqa: S311 - dice for tests
    weather: Weather = field(default_factory=Weather)
    seen: dict[str, int] = field(default_factory=dict)
    _planned: list[Fault] = field(default_factory=list)

    def plan(self, fault: Fault) -> Fault:
        """Let `fault` happen to the next requests that match it."""
        self._planned.append(fault)
        return fault

    def hold(self, route: str, *, after_effect: bool = False) -> Gate:
        """Hold the next request on `route`, before or after it took effect."""
        gate = Gate()
        self.plan(Fault(route, gate=gate, after_effect=after_effect))
        return gate

    def release(self) -> None:
        """Open every gate, so that the server can close."""
        for fault in self._planned:
            if fault.gate:
                fault.gate.open()

    def take(self, route: str) -> Fault | None:
        """The fault for this request, if any; planned ones first, then by chance."""
        for fault in self._planned:
            if fault.times > 0 and fnmatchcase(route, fault.route):
                fault.times -= 1
                return self._count(fault)
        return self._by_chance(route)

    def _by_chance(self, route: str) -> Fault | None:
        weather = self.weather
        if not fnmatchcase(route, weather.routes):
            return None
        drawn = self.chance.random()
        kinds = [
            (weather.share_429, Fault(route, status=429, retry_after_s=weather.retry_after_s)),
            (weather.share_5xx, Fault(route, status=503)),
            (weather.share_lost, Fault(route, status=500, after_effect=True)),
        ]
        for share, fault in kinds:
            if drawn < share:
                return self._count(fault)
            drawn -= share
        return None

    def _count(self, fault: Fault) -> Fault:
        kind = "gate" if fault.only_holds else f"{fault.status or fault.error or 'drop'}"
        kind += " after effect" if fault.after_effect else ""
        self.seen[kind] = self.seen.get(kind, 0) + 1
        return fault
