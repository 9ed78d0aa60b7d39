"""A bot under test in a process of its own, so that it can be killed at any moment.

The program writes one line of JSON to its standard output once it is ready; `events_url` in it says where
signed requests go. How to see that it is idle is the test's to say.
"""

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from tests.fakes.watch import NeverHappenedError


class BotProcess:
    """Implements `tests.fakes.stage.RunningBot` for any program."""

    def __init__(self, process: asyncio.subprocess.Process, ready: Mapping[str, object]) -> None:
        self.ready = ready
        self.events_url = None if ready.get("events_url") is None else str(ready["events_url"])
        self.when_idle: Callable[[], Awaitable[None]] | None = None
        self._process = process

    @classmethod
    async def start(
        cls, arguments: Sequence[str], environment: Mapping[str, str], *, within_s: float = 20.0
    ) -> "BotProcess":
        """Run this Python with `arguments` and wait for its line; raises `NeverHappenedError`."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, *arguments, env={**os.environ, **environment}, stdout=asyncio.subprocess.PIPE
        )
        assert process.stdout
        line = b""
        with contextlib.suppress(TimeoutError):
            line = await asyncio.wait_for(process.stdout.readline(), within_s)
        if not line.startswith(b"{"):
            bot = cls(process, {})
            await bot.kill()
            raise NeverHappenedError("the bot's line of JSON", within_s, line.decode(errors="replace"))
        return cls(process, json.loads(line))

    async def stop(self, within_s: float = 10.0) -> None:
        """SIGTERM; a bot that does not end is killed and fails the test."""
        if self._process.returncode is not None:
            return
        self._process.terminate()
        try:
            await asyncio.wait_for(self._process.wait(), within_s)
        except TimeoutError:
            await self.kill()
            raise NeverHappenedError("the bot to end after SIGTERM", within_s, "still running") from None

    async def kill(self) -> None:
        """SIGKILL."""
        if self._process.returncode is None:
            self._process.kill()
        await self._process.wait()

    def largest_memory_mib(self) -> int:
        """The most memory that the process itself ever had, without its workers; 0 where nobody says."""
        status = Path(f"/proc/{self._process.pid}/status")
        lines = status.read_text().splitlines() if status.exists() else []
        return next((int(line.split()[1]) >> 10 for line in lines if line.startswith("VmHWM")), 0)

    async def idle(self) -> None:
        """What the test said."""
        if self.when_idle:
            await self.when_idle()
