"""Bots in processes of their own, as the matrix steers them. Not tests."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from pathlib import Path

from tests.crash.relaunch.door import PATIENCE_S

ROOT = Path(__file__).parents[3]


class BotProcess:
    """The program, and what it has said."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self._said: list[dict] = []
        self._news = asyncio.Condition()
        self._has_ended = False
        self._listening = asyncio.create_task(self._listen())

    @classmethod
    async def start(cls, folder: Path, store_url: str) -> "BotProcess":
        """Start it; it leads when somebody else does not."""
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "tests.crash.relaunch.program", str(folder), store_url),
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=pipe,
            stdout=pipe,
        )
        return cls(process)

    async def says(self, **words) -> dict:
        """Wait until it has said something that holds all these words, and return it."""
        async with asyncio.timeout(PATIENCE_S), self._news:
            await self._news.wait_for(lambda: self._has_ended or self._find(words))
            found = self._find(words)
        assert found is not None, f"the bot ended before it said {words}"
        return found

    def tell(self, **words) -> None:
        """Have it do something."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps(words).encode() + b"\n")

    async def hold(self, moment: str) -> None:
        """Have it stand still at a moment."""
        self.tell(hold=moment)
        await self.says(holds=moment)

    def release(self) -> None:
        """Let it go on."""
        self.tell(hold="")

    def send(self, number: int) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

    async def end(self, number: int = signal.SIGKILL) -> None:
        """End it."""
        if self.process.returncode is None:
            self.process.send_signal(number)
        await self.process.wait()
        await self._listening

    def _find(self, words: dict) -> dict | None:
        return next((one for one in self._said if words.items() <= one.items()), None)

    async def _listen(self) -> None:
        assert self.process.stdout
        while line := await self.process.stdout.readline():
            with contextlib.suppress(ValueError):
                told = json.loads(line)
                if isinstance(told, dict):
                    await self._hear(told)
        async with self._news:
            self._has_ended = True
            self._news.notify_all()

    async def _hear(self, told: dict) -> None:
        async with self._news:
            self._said.append(told)
            self._news.notify_all()
