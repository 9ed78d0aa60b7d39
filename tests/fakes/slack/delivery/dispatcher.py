"""Getting events, commands and clicks to the app: acknowledgement, its latency, redelivery.

The two ways (Socket Mode, signed HTTP) stand in their own modules and only carry one attempt.
"""

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from tests.fakes.slack.records import Payload, SlackSettings
from tests.fakes.watch import Watch


@dataclass
class Outcome:
    """How one attempt ended. `reason`: why it was not acknowledged; `response`: the payload of the ack."""

    acked: bool
    reason: str = ""
    response: Payload | None = None
    may_retry: bool = True


@dataclass
class Attempt:
    """One try: number 0 is the first, `reason` is why it had to be repeated."""

    number: int
    reason: str
    sent_at: float = 0.0
    ended_at: float | None = None
    outcome: Outcome | None = None


@dataclass
class Delivery:
    """One thing that the app must hear; `kind` is events_api, slash_commands or interactive."""

    kind: str
    payload: Payload
    attempts: list[Attempt] = field(default_factory=list)
    done: bool = False

    @property
    def acked(self) -> bool:
        return any(attempt.outcome and attempt.outcome.acked for attempt in self.attempts)

    @property
    def latency_s(self) -> float | None:
        """Seconds from sending to acknowledgement of the attempt that was acknowledged."""
        for attempt in self.attempts:
            if attempt.outcome and attempt.outcome.acked and attempt.ended_at is not None:
                return attempt.ended_at - attempt.sent_at
        return None

    @property
    def response(self) -> Payload | None:
        return next(
            (one.outcome.response for one in self.attempts if one.outcome and one.outcome.acked), None
        )

    @property
    def event(self) -> Payload:
        event: Payload = self.payload.get("event", {})
        return event


class Transport(Protocol):
    """Carries one attempt to the app."""

    async def carry(self, delivery: Delivery, attempt: Attempt) -> Outcome:
        """Send and wait for the acknowledgement; sets `attempt.sent_at` when it really leaves."""


class Dispatcher:
    """Sends what happens to the app. Every delivery ever made stands in `deliveries`."""

    def __init__(self, settings: SlackSettings, watch: Watch) -> None:
        self.deliveries: list[Delivery] = []
        self.transport: Transport | None = None
        self._settings = settings
        self._watch = watch
        self._tasks: set[asyncio.Task[None]] = set()
        self._on_the_way = 0
        self._slots = asyncio.Semaphore(settings.most_in_flight)
        self._event_ids = (f"Ev0{number:07d}" for number in itertools.count(1))

    def next_event_id(self) -> str:
        return next(self._event_ids)

    def send(self, kind: str, payload: Payload, then: Callable[[Delivery], None] | None = None) -> Delivery:
        """Deliver in the background, with redeliveries for events; `then` is called at the end."""
        delivery = Delivery(kind, payload)
        self.deliveries.append(delivery)
        self._on_the_way += 1
        task = asyncio.create_task(self._deliver(delivery, then))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return delivery

    async def settled(self, within_s: float = 5.0, *, at_most: int = 0) -> None:
        """Wait until nothing (or: at most so many) is on its way; the rest is acknowledged or given up."""
        await self._watch.until(lambda: self._on_the_way <= at_most, "deliveries to end", within_s)

    def given_up(self) -> list[Delivery]:
        """What the app never acknowledged, however often it came: lost for good."""
        return [delivery for delivery in self.deliveries if delivery.done and not delivery.acked]

    def slowest_ack_s(self) -> float:
        """The longest time from sending to acknowledgement so far."""
        return max((delivery.latency_s or 0.0 for delivery in self.deliveries), default=0.0)

    async def close(self) -> None:
        """Give up what is still on its way."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _deliver(self, delivery: Delivery, then: Callable[[Delivery], None] | None) -> None:
        assert self.transport, "no way to the app was opened; start the workspace first"
        delays = self._settings.retry_delays_s if delivery.kind == "events_api" else ()
        reason = ""
        for number, delay_s in enumerate((None, *delays)):
            if delay_s:
                await asyncio.sleep(delay_s)
            attempt = Attempt(number, reason)
            delivery.attempts.append(attempt)
            async with self._slots:
                outcome = await self.transport.carry(delivery, attempt)
            attempt.outcome, attempt.ended_at = outcome, asyncio.get_running_loop().time()
            self._watch.notify()
            if outcome.acked or not outcome.may_retry:
                break
            reason = outcome.reason
        delivery.done = True
        self._on_the_way -= 1
        if then:
            then(delivery)
        self._watch.notify()
