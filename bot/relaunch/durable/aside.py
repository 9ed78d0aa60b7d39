"""An event loop in a thread of its own, for a library that blocks its loop or changes it. Not for what runs there."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

Answer = TypeVar("Answer")


class Aside:
    """A second event loop; `start` it, `run` work there, `stop` it."""

    def __init__(self, name: str) -> None:
        self._loop = asyncio.new_event_loop()
        # a process that ends does not wait for it: whoever wants it whole stops it
        self._thread = threading.Thread(target=self._loop.run_forever, name=name, daemon=True)

    def start(self) -> None:
        """Begin to run what is given."""
        self._thread.start()

    async def run(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        """Return what comes of some work done there."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    async def stop(self) -> None:
        """Break off what still runs there and end the thread."""
        await self.run(_break_off())
        self._loop.call_soon_threadsafe(self._loop.stop)
        await asyncio.to_thread(self._thread.join)
        self._loop.close()


async def _break_off() -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
