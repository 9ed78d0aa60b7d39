"""The host in memory, behind a socket. Nothing runs there, so it is quick. Not tests."""

from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from tests.bot.relaunch.team import a_registry
from tests.crash.relaunch.distant import serving
from tests.crash.relaunch.door import Door
from tests.crash.relaunch.grounds.interface import Seen, Way
from tests.fakes.host import Behaviour, FakeHost, with_lie
from tests.hosts.helper.gpu_host import BACKEND

LIE = replace(Behaviour(), models=())


class MemoryGround:
    """Meets `Ground` with `FakeHost`."""

    name = "memory"
    make_host = FakeHost
    has_helper = False

    def __init__(self, folder: Path) -> None:
        self.door = Door()
        self.way = Way(a_registry().hosts[0], str(folder / "host.sock"), longest_pause_s=0.03)
        self.host = self._new_host(0)

    async def renew(self, fence: int, *, lies: bool) -> None:
        self.host = self._new_host(fence)
        self.host.behave = with_lie(LIE if lies else Behaviour())

    async def seen(self, relaunch_id: str) -> Seen:
        process = self.host.process
        is_alive = process is not None and not process.is_dead
        return Seen(
            Counter(effect.verb for effect in self.host.effects),
            (BACKEND not in process.env,) if is_alive else (),
        )

    def cut(self, *, silently: bool = False) -> None:
        self.door.cut(silently=silently)

    def heal(self) -> None:
        self.door.heal()

    def _new_host(self, fence: int) -> FakeHost:
        return self.make_host(lambda: datetime.now(UTC), fence=fence)


@asynccontextmanager
async def memory_ground(folder: Path, kind: type[MemoryGround] = MemoryGround):
    ground = kind(folder)
    async with serving(lambda: ground.host, Path(ground.way.socket), ground.door):
        yield ground
