"""A bot that only carries out relaunches, in a process of its own; it holds still where it is told to.

Reads lines of JSON from a pipe: `{"hold": "stopping"}` (an empty word lets it go on), `{"ask": "a"}` and
`{"approve": [id, hash], "as": "b"}` for presses of buttons. Writes `{"leads": true}` once it leads and `false` when it
no longer does, `{"held": "stopping"}` when it stands there, and `{"ended": id}` when it has seen a run to its end.
"""

import asyncio
import json
import os
import pickle
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
from tests.bot.relaunch.team import ANNA, BEN, Team, wanted
from tests.crash.relaunch.grounds.interface import Way  # noqa: TC001 (pickle wants it)

#: what bots write when a store or a host goes away under them
LOG = "bots.log"


def say(**words) -> None:
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


class HoldingWitness:
    """Stands still at a state until it is let go."""

    def __init__(self) -> None:
        self.hold = ""
        self._go = asyncio.Event()

    def hold_at(self, place: str) -> None:
        self._go.set()
        self.hold, self._go = place, asyncio.Event()
        say(holds=place)

    async def hear(self, news) -> None:
        await self.pass_by(news.state.value)

    async def pass_by(self, place: str) -> None:
        if place == self.hold:
            say(held=place)
            await self._go.wait()


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


def live(folder: Path, store_url: str, journal_key: Path, told, says) -> None:
    """Be such a bot until there is nobody to be told anything by."""
    os.dup2(says.fileno(), sys.stdout.fileno())
    says.close()
    with (folder / LOG).open("ab") as log:
        os.dup2(log.fileno(), sys.stderr.fileno())
    asyncio.run(main(folder, store_url, journal_key, told))


async def main(folder: Path, store_url: str, journal_key: Path, told) -> None:
    way: Way = pickle.loads((folder / "way.pickle").read_bytes())  # noqa: S301 (our own test wrote it)
    database = await open_database(store_url)
    witness = HoldingWitness()
    team = Team(
        database,
        way.open(),
        system_clock,
        listener=witness,
        registry=way.registry,
        keys=read_keys(journal_key, {}),
        # ids of two bots are never the same
        number=int.from_bytes(os.urandom(15), "big"),
    )

    async def pause(seconds: float) -> None:
        # what takes minutes in earnest takes so long here
        await asyncio.sleep(min(seconds, way.longest_pause_s))

    tools = replace(team.tools, pause=pause, pace=Pace(0.01, 0.01, way.longest_pause_s, 0.05, 60.0))
    team.tools = tools

    async def carry_out(run_id: str, stepper) -> str:
        try:
            return await run(run_id, stepper, tools)
        finally:
            say(ended=run_id)

    def make_engine() -> DurableEngine:
        engine = HoldingEngine(engine_url(store_url), carry_out)
        engine.witness = witness
        return engine

    leadership = leadership_of(store_url, folder / "leader.lock")
    service = RelaunchService(leadership, make_engine, Feeder(team.outbox, tools), look_s=0.05)
    working = asyncio.create_task(service.run())
    telling = asyncio.create_task(_tell_who_leads(service))
    await _listen(witness, team, told)
    for task in (working, telling):
        task.cancel()
    await asyncio.gather(working, telling, return_exceptions=True)
    await database.close()


async def _tell_who_leads(service: RelaunchService) -> None:
    leads = False
    while True:
        if service.leads != leads:
            leads = service.leads
            say(leads=leads)
        await asyncio.sleep(0.01)


async def _listen(witness: HoldingWitness, team: Team, pipe) -> None:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    presses = set()
    while line := await reader.readline():
        told = json.loads(line)
        if "hold" in told:
            witness.hold_at(told["hold"])
            continue
        press = asyncio.create_task(_ask(team, told) if "ask" in told else _approve(team, told))
        presses.add(press)
        press.add_done_callback(presses.discard)


async def _ask(team: Team, told: dict) -> None:
    outcome = await team.desk.request(ANNA, wanted(server=told["server"]))
    kept = outcome.relaunch
    say(asked=told["ask"], id=kept and kept.id, hash=outcome.plan and outcome.plan.hash, kind=outcome.kind)


async def _approve(team: Team, told: dict) -> None:
    outcome = await team.desk.approve(BEN, *told["approve"])
    say(approved=told["as"], kind=outcome.kind)
