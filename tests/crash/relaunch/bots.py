"""Bots in processes of their own, as the matrix steers them. Not tests.

They are forked from a process that has imported everything: a bot that starts is there at once, and dies alone.
"""

import asyncio
import contextlib
import json
import multiprocessing
import os
import signal
from pathlib import Path

from tests.crash.relaunch.door import PATIENCE_S

_FORKING = multiprocessing.get_context("forkserver")
_FORKING.set_forkserver_preload(["tests.crash.relaunch.program", "dbos"])


class BotProcess:
    """The program, and what it has said."""

    def __init__(self, process, tell, hear) -> None:
        self.process = process
        self._tell, self._hear = tell, hear
        self._said: list[dict] = []
        self._news = asyncio.Condition()
        self._has_ended = False
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls, folder: Path, store_url: str, journal_key: Path) -> "BotProcess":
        """Start it; it leads when somebody else does not."""
        told, tell = _FORKING.Pipe(duplex=False)
        hear, says = _FORKING.Pipe(duplex=False)
        process = _FORKING.Process(
            target=_live, args=(folder, store_url, journal_key, told, says), daemon=True
        )
        await asyncio.to_thread(process.start)
        told.close()
        says.close()
        return cls(process, tell, hear)

    async def says(self, **words) -> dict:
        """Wait until it has said something that holds all these words, and return it."""
        async with asyncio.timeout(PATIENCE_S), self._news:
            await self._news.wait_for(lambda: self._has_ended or self.has_said(**words))
            found = self.has_said(**words)
        assert found is not None, f"the bot ended before it said {words}"
        return found

    def has_said(self, **words) -> dict | None:
        """What it has said that holds all these words."""
        return next((one for one in self._said if words.items() <= one.items()), None)

    def tell(self, **words) -> None:
        """Have it do something."""
        os.write(self._tell.fileno(), json.dumps(words).encode() + b"\n")

    async def hold(self, moment: str) -> None:
        """Have it stand still at a moment."""
        self.tell(hold=moment)
        await self.says(holds=moment)

    def release(self) -> None:
        """Let it go on."""
        self.tell(hold="")

    def send(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.process.pid, number)

    async def leave(self) -> None:
        """Ask it to end, and wait for that."""
        self._tell.close()
        await self._gone()

    async def end(self, number: int = signal.SIGKILL) -> None:
        """End it."""
        if self.process.is_alive():
            self.send(number)
        await self._gone()
        self._tell.close()

    async def _gone(self) -> None:
        await asyncio.to_thread(self.process.join)
        await self._listening

    async def _listen(self) -> None:
        reader = asyncio.StreamReader()
        pipe, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), self._hear
        )
        while line := await reader.readline():
            with contextlib.suppress(ValueError):
                told = json.loads(line)
                if isinstance(told, dict):
                    await self._take_in(told)
        pipe.close()
        async with self._news:
            self._has_ended = True
            self._news.notify_all()

    async def _take_in(self, told: dict) -> None:
        async with self._news:
            self._said.append(told)
            self._news.notify_all()


def _live(folder: Path, store_url: str, journal_key: Path, told, says) -> None:
    from tests.crash.relaunch.program import live  # noqa: PLC0415 (the matrix itself does not need it)

    live(folder, store_url, journal_key, told, says)
