"""The durable engine on a real SQLite file: a run is begun once, and goes on where it was when it is opened anew."""

import asyncio
import sqlite3
import stat
import subprocess
import sys
from contextlib import asynccontextmanager, closing

import pytest

from bot.relaunch.durable.engine import DurableEngine, engine_url

PATIENCE_S = 60


@asynccontextmanager
async def an_engine(folder, carry_out):
    engine = DurableEngine(engine_url(f"sqlite+aiosqlite:///{folder}/store.db"), carry_out)
    await engine.open()
    try:
        yield engine
    finally:
        await engine.close()


async def until_ended(engine, run_id):
    async with asyncio.timeout(PATIENCE_S):
        while not await engine.has_ended(run_id):  # noqa: ASYNC110 (the library tells nobody)
            await asyncio.sleep(0.02)


async def test_a_run_is_begun_once_however_often_it_is_started(tmp_path):
    begun = []

    async def carry_out(run_id, stepper):
        begun.append(run_id)
        await stepper.step("one", done)
        return "committed"

    async def done():
        return {}

    async with an_engine(tmp_path, carry_out) as engine:
        assert not await engine.has_ended("r1")
        await asyncio.gather(*(engine.start("r1") for _ in range(5)))
        await until_ended(engine, "r1")
        await engine.start("r1")
        await engine.start("r2")
        await until_ended(engine, "r2")

    assert sorted(begun) == ["r1", "r2"]


async def test_a_step_that_was_broken_off_is_begun_again_and_one_that_ended_is_not(tmp_path):
    counts = {"one": 0, "two": 0}
    reached, go_on = asyncio.Event(), asyncio.Event()
    results = []

    async def carry_out(run_id, stepper):
        first = await stepper.step("one", one)
        second = await stepper.step("two", two)
        results.append((first, second))
        return "committed"

    async def one():
        counts["one"] += 1
        return {"fence": 7}

    async def two():
        counts["two"] += 1
        reached.set()
        await go_on.wait()
        return {"end": "committed"}

    async with an_engine(tmp_path, carry_out) as engine:
        await engine.start("r1")
        await asyncio.wait_for(reached.wait(), PATIENCE_S)
    assert results == []

    go_on.set()
    async with an_engine(tmp_path, carry_out) as engine:
        await until_ended(engine, "r1")

    # the threads of the loop are still the loop's own
    assert await asyncio.to_thread(lambda: 5) == 5
    assert counts == {"one": 1, "two": 2}
    assert results == [({"fence": 7}, {"end": "committed"})]


async def test_a_run_that_breaks_off_by_an_error_has_ended_for_the_engine(tmp_path):
    async def carry_out(run_id, stepper):
        raise ZeroDivisionError

    async with an_engine(tmp_path, carry_out) as engine:
        await engine.start("r1")
        await until_ended(engine, "r1")


async def test_what_it_remembers_is_for_its_owner_alone(tmp_path):
    async def carry_out(run_id, stepper):
        return "committed"

    async with an_engine(tmp_path / "new", carry_out):
        pass

    assert stat.S_IMODE((tmp_path / "new" / "store-engine.db").stat().st_mode) == 0o600


async def test_whoever_reads_its_file_does_not_hold_it_up(tmp_path):
    async def carry_out(run_id, stepper):
        await stepper.step("one", done)
        return "committed"

    async def done():
        return {}

    async with an_engine(tmp_path, carry_out) as engine:
        with closing(sqlite3.connect(tmp_path / "store-engine.db", isolation_level=None)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM workflow_status").fetchone()
            await engine.start("r1")
            # less than the library waits for a file that is locked
            async with asyncio.timeout(25):
                await until_ended(engine, "r1")


async def test_an_engine_that_was_never_opened_can_be_closed():
    async def carry_out(run_id, stepper):
        return "committed"

    await DurableEngine("sqlite:///nowhere.db", carry_out).close()


@pytest.mark.parametrize(
    ("store", "engine"),
    [
        ("sqlite+aiosqlite:////var/lib/x/store.db", "sqlite:////var/lib/x/store-engine.db"),
        ("postgresql+psycopg://u:p@h/db", "postgresql+psycopg://u:p@h/db"),
        ("postgresql+psycopg://u@/db?host=/run/pg", "postgresql+psycopg://u@/db?host=/run/pg"),
    ],
)
def test_it_remembers_beside_the_store(store, engine):
    assert engine_url(store).replace("%2F", "/") == engine


def test_nothing_of_it_is_imported_before_it_is_opened():
    code = (
        "import sys, bot.relaunch.durable.engine, bot.relaunch.durable.service, bot.relaunch.desk; "
        "print('dbos' in sys.modules, 'psycopg' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert result.stdout.split() == ["False", "False"]
