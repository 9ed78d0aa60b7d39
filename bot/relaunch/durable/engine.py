"""The durable engine, DBOS: remembers each step that ended, so that a run goes on after a death. Not for what runs do.

The one importer of `dbos`, and only once it is opened. Its traps, and how they are kept out:

- it refuses every further step of a cancelled or timed-out workflow, the way back included: cancelling and
  deadlines are ours (a mark in the store, clocks within steps), never `cancel_workflow` nor its time-outs;
- it does not pick up workflows of another version of the code: the version is a constant per shape of the run;
- it picks up only what its own executor began: there is one executor for ever, and one leader that is it;
- it blocks the event loop when it starts, takes over its threads, and ends those when it is closed: it has a
  loop of its own, and only steps come back to the loop of the bot.
"""

from __future__ import annotations

import asyncio
import importlib
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sqlalchemy.engine import make_url

from bot.relaunch.durable.aside import Aside

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from concurrent.futures import Future

    from bot.relaunch.interface import Result, Stepper

Answer = TypeVar("Answer")

#: raised when steps are added, removed or put in another order; then runs under way must end first
SHAPE: Final = "relaunch-1"
_EXECUTOR: Final = "relaunch-leader"
_SCHEMA: Final = "relaunch_engine"
#: a run may outlive any number of restarts
_RESTARTS: Final = 1_000_000
_ENDED: Final = frozenset({"SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"})


def engine_url(store_url: str) -> str:
    """Return where the engine remembers: a file beside the store's, or a schema of its own in the same database."""
    url = make_url(store_url)
    if url.get_backend_name() != "sqlite":
        return url.set(drivername="postgresql+psycopg").render_as_string(hide_password=False)
    file = Path(url.database or "store.db")
    return f"sqlite:///{file.with_name(f'{file.stem}-engine{file.suffix}')}"


class DurableEngine:
    """Carries out runs; `open` it, `start` runs, `close` it. One at a time in a process."""

    def __init__(self, url: str, carry_out: Callable[[str, Stepper], Awaitable[str]]) -> None:
        self._url = url
        self._carry_out = carry_out
        self._aside: Aside | None = None
        self._home: asyncio.AbstractEventLoop | None = None
        self._dbos: Any = None
        self._workflow: Any = None
        #: steps that are being carried out, on the loop of the bot
        self._bodies: set[Future[Result]] = set()

    async def open(self) -> None:
        """Open the engine; runs that an earlier process left go on at once."""
        _prepare_file(self._url)
        self._home = asyncio.get_running_loop()
        self._aside = Aside("relaunch-engine")
        self._aside.start()
        await self._aside.run(self._launch())

    async def start(self, relaunch_id: str) -> None:
        """Begin a run; one that was begun before is not begun again, whoever asks and how often."""
        await self._there(self._start(relaunch_id))

    async def has_ended(self, relaunch_id: str) -> bool:
        """Tell whether the engine will do nothing more for a run."""
        status = await self._there(self._status(relaunch_id))
        return status is not None and status.status in _ENDED

    async def step(self, name: str, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        """Carry out a step of the run that asks, once; meets `Stepper`."""

        async def body() -> Result:
            if self._home is None:
                raise RuntimeError("the engine is closed")
            future = asyncio.run_coroutine_threadsafe(work(), self._home)
            self._bodies.add(future)
            try:
                return await asyncio.wrap_future(future)
            finally:
                self._bodies.discard(future)

        result: Result = await self._dbos.DBOS.run_step_async({"name": name}, body)
        return result

    async def close(self) -> None:
        """Leave all runs where they are; the next leader goes on with the steps that had not ended."""
        aside, self._aside = self._aside, None
        if aside is None:
            return
        # A step that is broken off has no result, so it is begun again.
        for body in list(self._bodies):
            body.cancel()
        # Whoever gave up opening it has not stopped the launch: that ends first.
        await aside.run(asyncio.sleep(0))
        if self._dbos is not None:
            await asyncio.to_thread(self._dbos.DBOS.destroy, destroy_registry=True)
        await aside.stop()

    async def _launch(self) -> None:
        # the import alone takes seconds on a busy machine
        self._dbos = importlib.import_module("dbos")
        self._dbos.DBOS(
            config={
                "name": "vllm-diagnose",
                "system_database_url": self._url,
                "dbos_system_schema": _SCHEMA,
                "executor_id": _EXECUTOR,
                "application_version": SHAPE,
                "log_level": "ERROR",
                "use_listen_notify": False,
            }
        )

        async def relaunch(relaunch_id: str) -> str:
            return await self._carry_out(relaunch_id, self)

        decorate = self._dbos.DBOS.workflow(name="relaunch", max_recovery_attempts=_RESTARTS)
        self._workflow = decorate(relaunch)
        self._dbos.DBOS.launch()

    async def _start(self, relaunch_id: str) -> None:
        if await self._status(relaunch_id) is not None:
            return
        with self._dbos.SetWorkflowID(relaunch_id):
            await self._dbos.DBOS.start_workflow_async(self._workflow, relaunch_id)

    async def _status(self, relaunch_id: str) -> Any:  # noqa: ANN401 (a record of the library)
        return await self._dbos.DBOS.get_workflow_status_async(relaunch_id)

    async def _there(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        if self._aside is None:
            work.close()
            raise RuntimeError("the engine is not open")
        return await self._aside.run(work)


def _prepare_file(url: str) -> None:
    """Make the engine's file readable by its owner alone, and let who reads it hold up nobody who writes."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite" and parsed.database:
        file = Path(parsed.database)
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.touch(mode=0o600)
        # A process that was stopped in the middle of reading must not keep the next leader from going on. The library
        # says so itself when the file cannot be used.
        with suppress(sqlite3.Error), closing(sqlite3.connect(file, timeout=0)) as connection:
            connection.execute("PRAGMA journal_mode=WAL")
