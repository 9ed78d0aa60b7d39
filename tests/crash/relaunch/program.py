"""A bot that only carries out relaunches, in a process of its own; it holds still where it is told to.

Reads lines of JSON from its standard input: `{"hold": "stopping"}`. Writes `{"leads": true}` once it leads, and
`{"held": "stopping"}` when it stands there.
"""

import asyncio
import json
import sys
from dataclasses import replace
from pathlib import Path

from bot.audit.keys import read_keys
from bot.clock import system_clock
from bot.relaunch.durable.engine import DurableEngine, engine_url
from bot.relaunch.durable.leader import leadership_of
from bot.relaunch.durable.outbox import Feeder
from bot.relaunch.durable.service import RelaunchService
from bot.relaunch.interface import Pace
from bot.relaunch.running.run import run
from bot.store.database import open_database
from tests.bot.relaunch.team import Team
from tests.crash.relaunch.distant import DistantHost

#: what takes minutes in earnest takes so long here
LONGEST_PAUSE_S = 0.03


def say(**words) -> None:
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


async def pause(seconds: float) -> None:
    await asyncio.sleep(min(seconds, LONGEST_PAUSE_S))


class HoldingWitness:
    """Stands still at a state for ever, which the test ends."""

    def __init__(self) -> None:
        self.hold = ""

    async def hear(self, news) -> None:
        await self.pass_by(news.state.value)

    async def pass_by(self, place: str) -> None:
        if place == self.hold:
            say(held=place)
            await asyncio.Event().wait()


class HoldingEngine(DurableEngine):
    """Stands still before or after it is told of a run, and after a step whose result is not kept yet."""

    witness: HoldingWitness

    async def start(self, relaunch_id: str) -> None:
        await self.witness.pass_by("before-letter")
        await super().start(relaunch_id)
        await self.witness.pass_by("after-letter")

    async def step(self, name, work):
        async def held():
            result = await work()
            await self.witness.pass_by(f"done:{name}")
            return result

        return await super().step(name, held)


async def main(folder: Path, store_url: str, socket: str) -> None:
    database = await open_database(store_url)
    witness = HoldingWitness()
    team = Team(
        database,
        DistantHost(socket),
        system_clock,
        listener=witness,
        keys=read_keys(folder / "journal.key", {}),
    )
    tools = replace(team.tools, pause=pause, pace=Pace(0.01, 0.01, 0.05, 0.05, 5.0))

    def make_engine() -> DurableEngine:
        engine = HoldingEngine(engine_url(store_url), lambda run_id, stepper: run(run_id, stepper, tools))
        engine.witness = witness
        return engine

    leadership = leadership_of(store_url, folder / "leader.lock")
    service = RelaunchService(leadership, make_engine, Feeder(team.outbox, tools), look_s=0.05)
    working = asyncio.create_task(service.run())
    listening = asyncio.create_task(_listen(witness))
    while not service.leads:  # noqa: ASYNC110 (an operator's page asks the same way)
        await asyncio.sleep(0.01)
    say(leads=True)
    await asyncio.wait([working, listening], return_when=asyncio.FIRST_COMPLETED)
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    await database.close()


async def _listen(witness: HoldingWitness) -> None:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    while line := await reader.readline():
        witness.hold = json.loads(line)["hold"]
        say(holds=witness.hold)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
