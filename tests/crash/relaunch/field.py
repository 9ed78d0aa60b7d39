"""A store, a host and a desk around bots to which something happens, and what is counted afterwards. Not tests."""

import asyncio
import json
import pickle
from collections import Counter
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from bot.audit.chain import verify
from bot.audit.keys import read_keys
from bot.relaunch.gating.wish import Switches
from bot.relaunch.states import TERMINAL, State
from bot.store.database import open_database
from bot.store.relaunches.trouble import may_pass
from tests.bot.relaunch.team import ANNA, BEN, Team, wanted
from tests.crash.relaunch.bots import BotProcess
from tests.crash.relaunch.door import PATIENCE_S
from tests.crash.relaunch.grounds.interface import Ground
from tests.crash.relaunch.moments import goes_back
from tests.crash.relaunch.stores import SqliteStore, Store
from tests.crash.relaunch.tally import Tally

#: what a run must have done last
END = {State.COMMITTED: "commit", State.ROLLED_BACK: "restore"}


class Field:
    """All that takes part in the tries of one row."""

    def __init__(self, folder: Path, store: Store, ground: Ground, tally: Tally) -> None:
        self.folder, self.store, self.ground, self.tally = folder, store, ground, tally
        self.team: Team
        self.bots: list[BotProcess] = []

    async def bot(self) -> BotProcess:
        """Another bot, which does not lead yet."""
        bot = await BotProcess.start(self.folder, self.store.url, self.store.journal_key)
        self.bots.append(bot)
        return bot

    async def leader(self) -> BotProcess:
        """Another bot, once it leads."""
        bot = await self.bot()
        await bot.says(leads=True)
        return bot

    async def renew(self, moment: str) -> None:
        """Make the host as if its server had just failed, and the runs so far long past, so that the gate opens."""
        self.ground.door.reset()
        self.ground.heal()
        await self.ground.renew(await self.team.locks.fence("gpu-1"), lies=goes_back(moment))
        async with self.team.database.writing() as connection:
            await connection.exec_driver_sql(
                "UPDATE relaunches SET asked_at = asked_at - 200000000, ended_at = ended_at - 200000000"
            )

    async def approved(self) -> str:
        """A run that was asked for and approved a moment ago."""
        outcome = await self.team.desk.request(ANNA, wanted(server=self.ground.way.server))
        assert outcome.plan is not None, outcome
        approved = await self.team.desk.approve(BEN, outcome.relaunch.id, outcome.plan.hash)
        assert approved.kind == "approved", approved
        return outcome.relaunch.id

    async def comes_to(self, relaunch_id: str, *states: State) -> State:
        """Wait until a run is in one of these states."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                try:
                    state = (await self.team.runs.get(relaunch_id)).state
                except Exception as error:
                    # the store is away
                    if not may_pass(error):
                        raise
                else:
                    if state in states:
                        return state
                # another process moves it, which only the store tells
                await asyncio.sleep(0.02)

    async def ended(self, relaunch_id: str) -> State:
        """Wait for the end of a run."""
        return await self.comes_to(relaunch_id, *TERMINAL)

    async def count(self, relaunch_id: str, moment: str) -> None:
        """Wait for the end of a run and add to the row what went wrong with it."""
        tally = self.tally
        wanted_end = State.ROLLED_BACK if goes_back(moment) else State.COMMITTED
        try:
            state = await self.ended(relaunch_id)
        except TimeoutError:
            tally.lost_runs += 1
            row = await self.team.runs.get(relaunch_id)
            tally.faults.append(f"it stands at {row.state}: {row.detail}")
            return
        if state is not wanted_end:
            tally.faults.append(f"it ended {state}: {(await self.team.runs.get(relaunch_id)).detail}")
        await self._look_at_host(relaunch_id, state)
        if await self.team.locks.holder("gpu-1") is not None:
            tally.faults.append("the lock is still held")

    async def _look_at_host(self, relaunch_id: str, state: State) -> None:
        tally = self.tally
        seen = await self.ground.seen(relaunch_id)
        tally.double_effects += sum(count - 1 for count in seen.effects.values())
        tally.double_effects += max(0, len(seen.running) - 1)
        is_mended = seen.running == (True,)
        tally.wrong_verified += (state is State.COMMITTED) != is_mended
        tally.faults += seen.left
        missing = {"stop", "start", END[state]} - set(seen.effects) if state in END else set()
        tally.faults += [f"it ended {state} without its {verb}" for verb in sorted(missing)]
        entries = [json.loads(link.record) async for link in self.team.journal.links(relaunch=relaunch_id)]
        told = Counter((entry["stage"], entry["act"]) for entry in entries)
        for verb in seen.effects:
            tally.unjournalled += told["intent", verb] != 1 or told["result", verb] != 1

    async def close(self) -> None:
        """End all bots and look at the journal."""
        for bot in self.bots:
            await bot.end()
        fault = verify([link async for link in self.team.journal.links()], self.team.keys)
        if fault is not None:
            self.tally.faults.append(f"the journal is broken at {fault.sequence}: {fault.what}")


@asynccontextmanager
async def a_field(folder: Path, ground: Ground, store: Store | None = None, tally: Tally | None = None):
    """Open one."""
    store = store or SqliteStore(folder)
    one = Field(folder, store, ground, tally or Tally(ground.name, "", ""))
    (folder / "way.pickle").write_bytes(pickle.dumps(ground.way))
    database = await open_database(store.url)
    host = ground.way.open()
    try:
        one.team = Team(
            database,
            host,
            lambda: datetime.now(UTC),
            registry=ground.way.registry,
            switches=Switches(is_enabled=True, is_dry_run=False, per_person_an_hour=10_000),
            keys=read_keys(store.journal_key, {}),
            number=int(datetime.now(UTC).timestamp()) << 32,
        )
        try:
            yield one
        finally:
            await one.close()
    finally:
        await host.close()
        await database.close()
