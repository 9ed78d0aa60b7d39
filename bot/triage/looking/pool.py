"""Worker processes that diagnose, so that the event loop never does. Not for what they do: see `look`."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from bot.triage.looking.look import look

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.chat.interface import Card
    from bot.asking.asked import Worded
    from bot.triage.looking.engine import Engine, MakeEngine
    from bot.triage.looking.outcome import Outcome, Question

Result = TypeVar("Result")

#: the engine of this process, when it is a worker
_engine: Engine | None = None


class LookingTooLongError(Exception):
    """A worker did not finish in time; it was ended."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"a diagnosis took longer than {seconds:g} seconds and was ended")
        self.seconds = seconds


class WorkerLostError(Exception):
    """A worker process ended in the middle of a diagnosis."""

    def __init__(self) -> None:
        super().__init__("a worker process ended in the middle of a diagnosis; a new one takes its place")


class LookingPool:
    """A few worker processes; `start` them, ask, `close` them."""

    def __init__(self, make_engine: MakeEngine, workers: int, timeout_s: float) -> None:
        self._make_engine = make_engine
        self._workers = workers
        self._timeout_s = timeout_s
        self._executor: ProcessPoolExecutor | None = None
        self._is_ready = False

    @property
    def is_ready(self) -> bool:
        """Tell whether a worker has been able to answer."""
        return self._is_ready

    async def start(self) -> None:
        """Start the workers and wait until one can answer."""
        self._is_ready = await self._run(_has_engine)

    async def look(self, question: Question) -> Outcome:
        """Return what came of a question. Raises `LookingTooLongError`, `WorkerLostError`."""
        return await self._run(_look, question)

    async def tell(self, words: Worded) -> Card | None:
        """Return the answer to a question in words, None when they are none; raises what `look` raises."""
        return await self._run(_tell, words)

    async def mask(self, text: str) -> tuple[str, int]:
        """Return the text with its secrets masked, and how many there were; raises what `look` raises."""
        return await self._run(_mask, text)

    def close(self) -> None:
        """End the workers at once."""
        executor, self._executor = self._executor, None
        if executor is not None:
            _end(executor)

    async def _run(self, work: Callable[..., Result], *arguments: object) -> Result:
        executor = self._executor or self._open()
        future = asyncio.wrap_future(executor.submit(work, *arguments))
        try:
            async with asyncio.timeout(self._timeout_s):
                return await future
        except TimeoutError as error:
            self._replace(executor)
            raise LookingTooLongError(self._timeout_s) from error
        except BrokenExecutor as error:
            self._replace(executor)
            raise WorkerLostError from error

    def _open(self) -> ProcessPoolExecutor:
        self._executor = ProcessPoolExecutor(
            self._workers,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_become_worker,
            initargs=(self._make_engine,),
        )
        return self._executor

    def _replace(self, broken: ProcessPoolExecutor) -> None:
        if self._executor is broken:
            self._executor = None
        _end(broken)


def _end(executor: ProcessPoolExecutor) -> None:
    # With its workers gone the executor ends by itself; asking it nicely would wait for what they are doing.
    for process in list((executor._processes or {}).values()):  # noqa: SLF001 (no public way before 3.14)
        process.kill()
    executor.shutdown(wait=True, cancel_futures=True)


def _become_worker(make_engine: MakeEngine) -> None:
    global _engine  # noqa: PLW0603 (one engine for the life of the process)
    # Ctrl-C reaches the whole group of the terminal: the parent decides when its workers end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _engine = make_engine()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)


def _present_engine() -> Engine:
    if _engine is None:
        raise RuntimeError("this process was not started as a worker")
    return _engine


def _has_engine() -> bool:
    return _present_engine() is not None


def _look(question: Question) -> Outcome:
    return look(_present_engine(), question)


def _tell(words: Worded) -> Card | None:
    # asked for seldom: a diagnosis does not wait for its import
    from bot.asking.telling import answer_words  # noqa: PLC0415

    return answer_words(words)


def _mask(text: str) -> tuple[str, int]:
    return _present_engine().mask(text)
