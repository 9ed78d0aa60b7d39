"""What is done to a relaunch, where, and a row of the table for each. Not tests."""

import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.crash.relaunch.bots import BotProcess
from tests.crash.relaunch.disturbances.helpers import kill_helper
from tests.crash.relaunch.disturbances.killing import deliver_late, end_politely, kill, kill_before_standby
from tests.crash.relaunch.disturbances.losing_the_store import without_store
from tests.crash.relaunch.disturbances.parting import lose_answer, part, part_silently
from tests.crash.relaunch.disturbances.pausing import pause, pause_and_keep
from tests.crash.relaunch.disturbances.pressing import press_twice
from tests.crash.relaunch.field import Field, a_field
from tests.crash.relaunch.grounds.interface import Ground
from tests.crash.relaunch.moments import ASKING, AT_THE_HOST, MOMENTS, STATES, VERBS
from tests.crash.relaunch.stores import Store
from tests.crash.relaunch.tally import Tally

#: no act of the helper has more points than this
MOST_POINTS = 60
STORE_GONE_S = 30.0
#: hosts on which what has nothing to do with the host is tried at every moment
MAIN = frozenset({"memory"})
Act = Callable[[Field, BotProcess, str], Awaitable[BotProcess]]


@dataclass(frozen=True)
class Disturbance:
    """Something that is done to a run at each of some moments. It returns the bot that leads afterwards."""

    act: Act
    moments: tuple[str, ...]
    #: once is enough: it takes long
    is_slow: bool = False
    #: a host in memory has no helper that dies, and no time within which it has to answer
    needs_helper: bool = False
    #: each try is at another point of a helper, until there is none
    is_at_points: bool = False
    #: moments at which it is tried where the kind of host makes no difference to it
    elsewhere: tuple[str, ...] | None = None


DISTURBANCES = {
    "kill": Disturbance(kill, MOMENTS),
    "kill-standby": Disturbance(kill_before_standby, ("locked", "launching", "verifying", "rolling_back")),
    "late": Disturbance(deliver_late, VERBS),
    "end": Disturbance(end_politely, ("stopping", "starting", "rolling_back")),
    "pause": Disturbance(pause, ("after-letter", *STATES, *(f"host:{verb}" for verb in AT_THE_HOST))),
    "pause-keep": Disturbance(pause_and_keep, ("stopping", "done:launch", "verifying")),
    "part": Disturbance(part, ASKING),
    "part-silent": Disturbance(part_silently, ("starting", "verifying"), is_slow=True, needs_helper=True),
    "lose-answer": Disturbance(lose_answer, VERBS),
    "kill-helper": Disturbance(kill_helper, VERBS, needs_helper=True, is_at_points=True),
    "lose-store": Disturbance(
        without_store(STORE_GONE_S), (*STATES, "host:start"), is_slow=True, elsewhere=("stopping",)
    ),
    "press-twice": Disturbance(press_twice, ("approved",)),
}


@dataclass(frozen=True)
class Row:
    """One disturbance at one moment."""

    name: str
    moment: str

    @property
    def disturbance(self) -> Disturbance:
        return DISTURBANCES[self.name]


def rows(ground: Ground) -> Iterator[Row]:
    """All that can be tried on a host."""
    for name, disturbance in DISTURBANCES.items():
        if disturbance.needs_helper and not ground.has_helper:
            continue
        is_main = ground.name in MAIN or disturbance.elsewhere is None
        for moment in disturbance.moments if is_main else disturbance.elsewhere:
            yield Row(name, moment)


async def play(folder: Path, ground: Ground, row: Row, tries: int, store: Store | None = None) -> Tally:
    """Do it so often, and count."""
    began = time.monotonic()
    name = ground.name if store is None or store.name == "sqlite" else f"{ground.name}/pg"
    tally = Tally(name, row.name, row.moment)
    async with a_field(folder, ground, store, tally) as field:
        bot = await field.leader()
        for moment in _tries(row, tries, ground):
            tally.tries += 1
            await field.renew(moment)
            bot = await row.disturbance.act(field, bot, moment)
    tally.seconds = time.monotonic() - began
    return tally


def _tries(row: Row, tries: int, ground: Ground) -> Iterator[str]:
    if not row.disturbance.is_at_points:
        yield from [row.moment] * (1 if row.disturbance.is_slow else tries)
        return
    if "@" in row.moment:
        yield row.moment
        return
    for point in range(1, MOST_POINTS):
        yield f"{row.moment}@{point}"
        if ground.door.was_killed is False:
            # it was done before it came to this point
            return
    raise AssertionError(f"the helper's {row.moment} has no end")
