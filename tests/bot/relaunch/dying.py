"""A process that dies at one point after the other, and another that goes on. Not tests.

A point is the begin or the end of a call to the host, the store or the engine.
"""

from collections import Counter
from dataclasses import replace

from bot.relaunch.gating.wish import Switches
from bot.relaunch.states import State
from tests.bot.relaunch.team import Memory, Team, a_team
from tests.fakes.host import Behaviour, FakeHost, with_lie

LIE = replace(Behaviour(), models=())


class DiedError(BaseException):
    """The process is gone: nothing of it is caught or cleaned up."""


class Fate:
    """Counts the points at which a process may die, and ends it at one of them."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.points = 0

    def point(self) -> None:
        self.points += 1
        if self.points == self.at:
            raise DiedError

    def mortal(self, whole, names):
        """The same object, whose calls may not begin, or begin and never return."""
        return _Mortal(whole, names, self)


class _Mortal:
    def __init__(self, whole, names, fate) -> None:
        self._whole, self._names, self._fate = whole, names, fate

    def __getattr__(self, name):
        method = getattr(self._whole, name)
        if name not in self._names:
            return method

        async def call(*arguments, **named):
            self._fate.point()
            result = await method(*arguments, **named)
            self._fate.point()
            return result

        return call


class MortalMemory(Memory):
    """An engine that dies after a step, before it has written down what came of it."""

    def __init__(self, memory: Memory, fate: Fate) -> None:
        self.results = memory.results
        self.fate = fate

    async def step(self, name, work):
        if name not in self.results:
            result = await work()
            self.fate.point()
            self.results[name] = result
            self.fate.point()
        return dict(self.results[name])


HOST = ("snapshot", "preflight", "stop", "start", "status", "probe", "commit", "restore")


async def live_once(team: Team, relaunch_id: str, memory: Memory, fate: Fate) -> str | None:
    """Carry a run out in a process with a fate; None: it died."""
    healthy = team.tools
    mortal = replace(
        healthy,
        runs=fate.mortal(healthy.runs, ("move", "note")),
        locks=fate.mortal(healthy.locks, ("take",)),
        host=lambda name: fate.mortal(team.host, HOST),
    )
    team.tools = mortal
    try:
        return await team.run(relaunch_id, MortalMemory(memory, fate))
    except DiedError:
        return None
    finally:
        team.tools = healthy


async def a_life(team: Team, relaunch_id: str, points: list[int]) -> tuple[str, int]:
    """Carry a run out over several deaths; returns its end and the points of the last life."""
    memory = Memory()
    for at in [*points, 0]:
        fate = Fate(at)
        end = await live_once(team, relaunch_id, memory, fate)
        if end is not None:
            return end, fate.points
    raise AssertionError("it never ended")


async def check(team: Team, relaunch_id: str, end: str, wanted: State, verbs: list[str]) -> None:
    """Nothing twice, nothing lost, nothing wrong, nothing that is not in the journal."""
    assert end == wanted
    assert (await team.runs.get(relaunch_id)).state == wanted
    assert [effect.verb for effect in team.host.effects] == verbs
    assert await team.locks.holder("gpu-1") is None
    entries = [one for one in await team.journalled() if one["relaunch"] == relaunch_id]
    told = Counter((one["stage"], one["act"]) for one in entries)
    for verb in verbs:
        assert told["intent", verb] == 1
        assert told["result", verb] == 1
    assert not [key for key, count in told.items() if count > 1 and key != ("result", "verify")]
    states = [moment.state for moment in await team.runs.moments(relaunch_id)]
    assert states.count(wanted) == 1


async def lives(tmp_path, behaviour, wanted: State, verbs: list[str], deaths, make=FakeHost) -> int:
    """Begin a run anew for each list of deaths; returns how many points a life without death has."""
    async with a_team(tmp_path) as team:
        team.switches = Switches(is_enabled=True, is_dry_run=False, per_person_an_hour=10_000)
        total = 0
        for points in deaths:
            team.host = make(team.now)
            team.host.behave = behaviour
            team.host.fence = await team.locks.fence("gpu-1")
            # the gate has forgotten the one before
            await team.now.wait(30 * 3600)
            relaunch_id = await team.approved()
            end, total = await a_life(team, relaunch_id, points)
            await check(team, relaunch_id, end, wanted, verbs)
        return total


CASES = {
    "kept": (with_lie(Behaviour()), State.COMMITTED, ["stop", "start", "commit"]),
    "rolled back": (with_lie(LIE), State.ROLLED_BACK, ["stop", "start", "restore"]),
}
