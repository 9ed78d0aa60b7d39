"""Kills a bot that carries out a relaunch, lets another go on, and counts what went wrong. Not tests."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from bot.audit.chain import verify
from bot.audit.keys import read_keys
from bot.relaunch.gate import Switches
from bot.relaunch.states import TERMINAL, State
from bot.store.database import open_database
from tests.bot.relaunch.team import ANNA, BEN, Team, wanted
from tests.crash.relaunch.distant import serving
from tests.fakes.host import Behaviour, FakeHost, with_lie

ROOT = Path(__file__).parents[3]
PATIENCE_S = 120.0
LIE = replace(Behaviour(), models=())
#: where the process is held and killed: when a state was written down, when a letter was taken, or when a step
#: was done and its result is not kept yet
KEPT = (
    "before-letter",
    "after-letter",
    "locked",
    "done:lock",
    "done:check",
    "stopping",
    "done:stop",
    "gpu_free",
    "done:free",
    "launching",
    "done:launch",
    "starting",
    "done:start",
    "healthy",
    "done:healthy",
    "verifying",
    "done:verify",
    "committed",
    "done:commit",
)
BACK = ("rolling_back", "done:restore", "rolled_back", "done:restored")
#: verbs in the middle of which it is killed: before or after the host did it
AT_THE_HOST = ("stop", "stop:done", "start", "start:done", "commit", "commit:done", "restore", "restore:done")
MOMENTS = (*KEPT, *BACK, *(f"host:{verb}" for verb in AT_THE_HOST))


def goes_back(moment: str) -> bool:
    """Whether the server has to lie so that a run comes to the moment."""
    return moment in BACK or "restore" in moment


@dataclass
class Tally:
    """What came of some kills at one moment."""

    moment: str
    tries: int = 0
    double_effects: int = 0
    lost_runs: int = 0
    wrong_verified: int = 0
    unjournalled: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        """Whether nothing went wrong."""
        bad = self.double_effects + self.lost_runs + self.wrong_verified + self.unjournalled
        return not bad and not self.faults

    def __str__(self) -> str:
        figures = (self.double_effects, self.lost_runs, self.wrong_verified, self.unjournalled)
        row = f"{self.moment:20} {self.tries:5}" + "".join(f"{figure:9}" for figure in figures)
        return row + ("  " + "; ".join(self.faults) if self.faults else "")


HEAD = f"{'killed at':20} {'tries':>5}{'double':>9}{'lost':>9}{'wrong':>9}{'unsaid':>9}"


class BotProcess:
    """The program."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, folder: Path, store_url: str, socket: Path) -> "BotProcess":
        """Start it; it leads when somebody else does not."""
        arguments = ["-m", "tests.crash.relaunch.program", str(folder), store_url, str(socket)]
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *arguments,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=pipe,
            stdout=pipe,
        )
        return cls(process)

    async def says(self, key: str, value: object) -> None:
        """Wait for a line."""
        assert self.process.stdout
        async with asyncio.timeout(PATIENCE_S):
            while line := await self.process.stdout.readline():
                with contextlib.suppress(ValueError):
                    told = json.loads(line)
                    if isinstance(told, dict) and told.get(key) == value:
                        return
        raise AssertionError(f"the bot ended before it said {key}={value}")

    async def hold(self, moment: str) -> None:
        """Have it stand still at a moment."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"hold": moment}).encode() + b"\n")
        await self.says("holds", moment)

    async def end(self, number: int = signal.SIGKILL) -> None:
        """End it."""
        if self.process.returncode is None:
            self.process.send_signal(number)
        await self.process.wait()


class Field:
    """A store, a host and a desk around bots that are killed."""

    def __init__(self, folder: Path, store_url: str) -> None:
        self.folder, self.store_url = folder, store_url
        self.socket = folder / "host.sock"
        self.host = self.new_host(0)
        self.team: Team

    def new_host(self, fence: int) -> FakeHost:
        """A host on which nothing was done."""
        return FakeHost(lambda: datetime.now(UTC), fence=fence)

    async def bot(self) -> BotProcess:
        """Another bot."""
        return await BotProcess.start(self.folder, self.store_url, self.socket)

    async def approved(self) -> str:
        """A run that was asked for and approved a moment ago."""
        await self._forget()
        outcome = await self.team.desk.request(ANNA, wanted())
        assert outcome.plan is not None, outcome
        approved = await self.team.desk.approve(BEN, outcome.relaunch.id, outcome.plan.hash)
        assert approved.kind == "approved", approved
        return outcome.relaunch.id

    async def ended(self, relaunch_id: str) -> State:
        """Wait for the end of a run."""
        async with asyncio.timeout(PATIENCE_S):
            # another process ends it, which only the store tells
            while (state := (await self.team.runs.get(relaunch_id)).state) not in TERMINAL:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        return state

    async def _forget(self) -> None:
        """Make the runs so far long past, so that the gate lets the next one through."""
        async with self.team.database.writing() as connection:
            await connection.exec_driver_sql(
                "UPDATE relaunches SET asked_at = asked_at - 200000000, ended_at = ended_at - 200000000"
            )


@asynccontextmanager
async def a_field(folder: Path, store_url: str | None = None):
    """Open one."""
    url = store_url or f"sqlite+aiosqlite:///{folder}/store.db"
    one = Field(folder, url)
    database = await open_database(url)
    try:
        keys = read_keys(folder / "journal.key", {})
        one.team = Team(
            database,
            one.host,
            lambda: datetime.now(UTC),
            switches=Switches(is_enabled=True, is_dry_run=False, per_person_an_hour=10_000),
            keys=keys,
            number=int(datetime.now(UTC).timestamp()) << 32,
        )
        async with serving(lambda: one.host, one.socket):
            yield one
    finally:
        await database.close()


async def kill_and_count(folder: Path, moment: str, tries: int, store_url: str | None = None) -> Tally:
    """Kill a bot at a moment so often, let the next one go on, and count."""
    tally = Tally(moment)
    async with a_field(folder, store_url) as one:
        bot = await one.bot()
        try:
            await bot.says("leads", value=True)
            for _ in range(tries):
                tally.tries += 1
                bot = await _kill_once(one, bot, moment, tally)
        finally:
            await bot.end()
        fault = verify([link async for link in one.team.journal.links()], one.team.keys)
        if fault is not None:
            tally.faults.append(f"the journal is broken at {fault.sequence}: {fault.what}")
    return tally


async def _kill_once(one: Field, bot: BotProcess, moment: str, tally: Tally) -> BotProcess:
    one.host = one.team.host = one.new_host(await one.team.locks.fence("gpu-1"))
    one.host.behave = with_lie(LIE if goes_back(moment) else Behaviour())
    verb = moment.removeprefix("host:")
    if verb != moment:
        gate = one.host.gates[verb] = asyncio.Event()
        reached = one.host.reached[verb] = asyncio.Event()
        relaunch_id = await one.approved()
        async with asyncio.timeout(PATIENCE_S):
            await reached.wait()
        await bot.end()
        del one.host.gates[verb]
        gate.set()
    else:
        await bot.hold(moment)
        relaunch_id = await one.approved()
        await bot.says("held", moment)
        await bot.end()
    following = await one.bot()
    await following.says("leads", value=True)
    await _count(one, relaunch_id, moment, tally)
    return following


async def _count(one: Field, relaunch_id: str, moment: str, tally: Tally) -> None:
    wanted_end = State.ROLLED_BACK if goes_back(moment) else State.COMMITTED
    try:
        state = await one.ended(relaunch_id)
    except TimeoutError:
        tally.lost_runs += 1
        tally.faults.append(f"it stands at {(await one.team.runs.get(relaunch_id)).state}")
        return
    if state is not wanted_end:
        tally.faults.append(f"it ended {state}: {(await one.team.runs.get(relaunch_id)).detail}")
    effects = Counter(effect.verb for effect in one.host.effects)
    tally.double_effects += sum(count - 1 for count in effects.values())
    is_mended = "VLLM_ATTENTION_BACKEND" not in one.host.env
    tally.wrong_verified += (state is State.COMMITTED) != (is_mended and wanted_end is State.COMMITTED)
    entries = [json.loads(link.record) async for link in one.team.journal.links(relaunch=relaunch_id)]
    told = Counter((entry["stage"], entry["act"]) for entry in entries)
    for verb in effects:
        tally.unjournalled += told["intent", verb] != 1 or told["result", verb] != 1
    if await one.team.locks.holder("gpu-1") is not None:
        tally.faults.append("the lock is still held")
