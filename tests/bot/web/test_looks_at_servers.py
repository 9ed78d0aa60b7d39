"""Looks at servers for pages: one at a time, bounded, masked, and never an error."""

import asyncio

import pytest

from adapters.hosts.records import RunState
from bot.web.runs.looks import LINES, Looks
from tests.bot.relaunch.team import Now
from tests.fakes.host import Behaviour, FakeHost

SECRET = "hf_" + "a" * 34


class CountingHost(FakeHost):
    """Counts how often it is asked at once and in all."""

    asked = at_once = most_at_once = 0

    async def status(self, server, log_offset, log_limit):
        self.asked += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        try:
            return await super().status(server, log_offset, log_limit)
        finally:
            self.at_once -= 1


class Ticks:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def host():
    return CountingHost(Now())


def looks_at(host, clock=None):
    return Looks(lambda _name: host, clock or Ticks())


async def test_many_pages_make_one_look(host):
    clock = Ticks()
    looks = looks_at(host, clock)

    found = await asyncio.gather(*(looks.look("gpu-1", "qwen", with_log=False) for _ in range(20)))
    asked = host.asked
    clock.now += 2.0
    await looks.look("gpu-1", "qwen", with_log=False)

    assert (asked, host.asked, host.most_at_once) == (1, 2, 1)
    assert {look.state for look in found} == {RunState.EXITED}
    assert {look.lines for look in found} == {()}


async def test_the_end_of_a_long_log_is_shown_masked_and_no_more_of_it(host):
    text = "".join(f"line {number} --hf-token {SECRET}\n" for number in range(20_000))
    host.process.behaviour = Behaviour(log=(text,), exit_code=1)

    look = await looks_at(host).look("gpu-1", "qwen", with_log=True)

    assert len(look.lines) == LINES
    assert "line 19999" in look.lines[-1]
    assert SECRET not in "\n".join(look.lines)


async def test_a_host_that_is_not_there_is_a_sentence():
    def nowhere(name):
        raise LookupError(f"no host {name} is registered")

    look = await Looks(nowhere, Ticks()).look("gpu-1", "qwen", with_log=True)

    assert (look.state, look.lines, look.trouble) == (None, (), "no host gpu-1 is registered")
