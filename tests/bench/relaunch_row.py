"""Row 14: what the bot adds to a host's own stop and start, from approval to kept, the soak left out."""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bot.relaunch.states import State
from tests.bench.measuring import Row
from tests.hosts.helper.gpu_host import BACKEND
from tests.hosts.whole.served import ProcessServed
from tests.hosts.whole.whole_bot import WholeBot
from tests.scenario.test_twelve_scenarios_on_four_stages import SAMPLE

_GOAL_S = 2.0
_SOAK_S = 1
_TIMES = 5


def relaunch_rows() -> Iterator[Row]:
    """Yield the row: several relaunches of a server that is ready at once, each of a host of its own."""
    added = sorted(asyncio.run(_one()) for _ in range(_TIMES))
    middle = statistics.median(added)
    reached = f"{middle:.2f} s (of {_TIMES}: {added[0]:.2f} to {added[-1]:.2f})"
    yield Row(14, "relaunch: added to stop and start", f"<= {_GOAL_S:g} s", reached, middle / _GOAL_S)


async def _one() -> float:
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        (folder / "host").mkdir()
        served = ProcessServed(folder / "host")
        served.owner_starts("FLASH_ATTN")
        served.serving("FLASH_ATTN")
        bot = WholeBot(folder, served, soak_s=_SOAK_S)
        await bot.open()
        try:
            run_id = await bot.forced(SAMPLE)
            await bot.shows("is fixed and verified")
            came = {moment.state: moment.at for moment in reversed(await bot.moments(run_id))}
            whole = (came[State.COMMITTED] - came[State.APPROVED]).total_seconds()
        finally:
            await bot.close()
        try:
            return whole - _SOAK_S - _own_stop_and_start(served)
        finally:
            await served.clean()


def _own_stop_and_start(served: ProcessServed) -> float:
    """Return what the helper itself takes to stop the server and have it serve again."""
    fence = served.host.record()["fence"] + 1
    began = time.monotonic()
    served.host.stop(run=fence)
    served.host.start({"env_set": {BACKEND: "FLASH_ATTN"}}, run=fence)
    served.serving("FLASH_ATTN")
    return time.monotonic() - began
