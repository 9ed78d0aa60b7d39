"""What hosts with a real helper have in common: what happened is read from files and processes there. Not tests."""

import asyncio
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

from bot.hosts.registry import DriverKind
from tests.bot.relaunch.team import a_registry
from tests.crash.relaunch.door import PATIENCE_S, Door
from tests.crash.relaunch.grounds.interface import Seen, Way
from tests.hosts.helper.gpu_host import BACKEND, NeverHappenedError, until

HERE = Path(__file__).parents[1]
GATE = HERE / "gate.py"
DYING = HERE.parents[1] / "hosts" / "helper" / "dying.py"
#: it is not what it should be, and answers as if it were well
LIE = "--standin-faults=wrong-model"


def a_way(server: str, driver: str, port: int, **host) -> Way:
    """How a host is reached that runs the stand-in."""
    like = a_registry(name=server, driver=DriverKind(driver), port=port, vllm_version="0.11.2").hosts[0]
    return Way(replace(like, **host))


class HelpedGround:
    """Meets `Ground` but for what a driver has of its own."""

    name: str
    has_helper = True
    way: Way

    def __init__(self) -> None:
        self.door = Door()
        self._starts_before = self._generation_before = 0

    async def renew(self, fence: int, *, lies: bool) -> None:
        del fence
        await asyncio.to_thread(self._fail_anew, lies)
        self._starts_before = len(self._ledger())
        self._generation_before = self._record("intent.json").get("generation", 0)

    async def seen(self, relaunch_id: str) -> Seen:
        return await asyncio.to_thread(self._seen, relaunch_id)

    def _seen(self, relaunch_id: str) -> Seen:
        try:
            is_settled = until("it settles", self._is_settled, PATIENCE_S)
        except NeverHappenedError:
            is_settled = False
        starts = [self._is_mended(line["env"]) for line in self._ledger()[self._starts_before :]]
        rows = self._record("outcomes.json").get("outcomes", [])
        acts = Counter(row["verb"] for row in rows if row["key"].startswith(f"{relaunch_id}:"))
        acts["start"], acts["restore"] = starts.count(True), starts.count(False)
        left = tuple(self._left()) if is_settled else ("what was started neither serves nor ends",)
        return Seen(+acts, tuple(self._is_mended(env) for env in self._running()), left)

    def _is_settled(self) -> bool:
        """Tell whether all starts that the helper wrote down have come to serving or to their end."""
        made = self._record("intent.json").get("generation", 0) - self._generation_before
        starts = self._ledger()[self._starts_before :]
        if len(starts) < made:
            return False
        running = self._running()
        return self._serves() if any(self._is_mended(env) for env in running) else not running

    @staticmethod
    def _is_mended(env: dict[str, str]) -> bool:
        return BACKEND not in env

    def _record(self, name: str) -> dict:
        """A file of the helper's state of the server."""
        path = self._state() / name
        return json.loads(path.read_text()) if path.exists() else {}

    def _fail_anew(self, lies: bool) -> None:
        raise NotImplementedError

    def _state(self) -> Path:
        raise NotImplementedError

    def _ledger(self) -> list[dict]:
        """What each start of the server wrote down."""
        raise NotImplementedError

    def _running(self) -> list[dict[str, str]]:
        """The environment of each server that lives."""
        raise NotImplementedError

    def _serves(self) -> bool:
        raise NotImplementedError

    def _left(self) -> list[str]:
        raise NotImplementedError
