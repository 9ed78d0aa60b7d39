"""The parts that both fakes share: waiting without sleeping, and things that go wrong on request."""

import asyncio
from collections import Counter

import pytest

from tests.fakes.clock import Clock
from tests.fakes.faults import Fault, Faults, Weather
from tests.fakes.watch import NeverHappenedError, Watch


async def test_a_waiter_sees_each_change():
    seen: list[int] = []
    watch = Watch(lambda: str(seen))
    waiter = asyncio.create_task(watch.until(lambda: seen if len(seen) == 2 else None, "two things"))

    for number in range(2):
        await asyncio.sleep(0)
        seen.append(number)
        watch.notify()

    assert await waiter == [0, 1]


async def test_what_never_happens_is_told_with_what_did():
    watch = Watch(lambda: "only a greeting")

    with pytest.raises(NeverHappenedError, match="for an answer; it never came") as never:
        await watch.until(lambda: None, "an answer", within_s=0.01)

    assert "only a greeting" in str(never.value)


def test_planned_faults_come_first_and_end():
    faults = Faults()
    faults.plan(Fault("chat.*", status=500, times=2))

    played = [faults.take(route) for route in ("auth.test", "chat.update", "chat.postMessage", "chat.delete")]

    assert [fault and fault.status for fault in played] == [None, 500, 500, None]
    assert faults.seen == {"500": 2}


def test_weather_comes_in_the_shares_asked_for():
    faults = Faults(weather=Weather(share_429=0.1, share_5xx=0.05, share_lost=0.05, routes="chat.*"))

    played = Counter(fault.status if (fault := faults.take("chat.postMessage")) else 0 for _ in range(2_000))

    assert 150 < played[429] < 250
    assert 60 < played[503] < 140
    assert 60 < played[500] < 140
    assert faults.take("files.info") is None


async def test_a_gate_holds_until_it_is_opened():
    faults = Faults()
    gate = faults.hold("x")
    fault = faults.take("x")
    passing = asyncio.create_task(fault.gate.pass_through())

    await gate.reached()
    assert not passing.done()
    gate.open()
    await passing

    assert fault.only_holds


def test_a_clock_moves_ahead_only():
    clock = Clock()
    before = clock.now()

    clock.advance(60)

    assert 60 <= clock.now() - before < 61
