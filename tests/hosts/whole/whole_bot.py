"""The bot as its operator runs it, a process of its own, and one person signed in to its page. Not tests."""

import asyncio
import json
import os
import re
import subprocess
import sys
from types import SimpleNamespace

from bot.access.signing_in import os_person
from bot.audit.keys import read_keys
from bot.store.database import open_database
from bot.store.incidents import SqlIncidents
from bot.store.journal import SqlJournal
from bot.store.relaunches.runs import SqlRelaunches
from tests.hosts.helper.gpu_host import ROOT
from tests.hosts.whole.served import entry_of
from tests.scenario.console_stage import ConsoleStage

PATIENCE_S = 180.0
CHANNEL = "incidents"
_ADDRESS = re.compile(r"http://\S+:\d+(?:/\S+)?")
_RUN = re.compile(r"^([0-9a-f]{32}): waits for approval", re.MULTILINE)


class WholeBot:
    """`vllm-diagnose serve` with a registry of one host, and whoever uses it."""

    def __init__(self, folder, served, *, soak_s=1):
        self.folder, self.served = folder, served
        self.stage = SignedIn(self._start, self._link)
        self._process = self._database = None
        self._log = (folder / "bot.log").open("ab")
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("VLLM_DIAGNOSE_")},
            "VLLM_DIAGNOSE_STATE_DIR": str(folder),
            "VLLM_DIAGNOSE_RELAUNCH__REGISTRY": str(folder / "hosts.yaml"),
            "VLLM_DIAGNOSE_RELAUNCH__DRY_RUN": "false",
            "VLLM_DIAGNOSE_RELAUNCH__SOAK_SECONDS": str(soak_s),
            "COLUMNS": "200",
        }
        self._write_registry()

    async def open(self):
        self._database = await open_database(f"sqlite+aiosqlite:///{self.folder}/store.db")
        await self.stage.open()

    async def close(self):
        await self.stage.close()
        await self._database.close()
        self._log.close()

    async def kill(self):
        """End it as a machine does that loses its power."""
        self._process.kill()
        await asyncio.to_thread(self._process.wait)

    async def types(self, *words):
        """Type a command beside it, and return what it says."""
        found = await asyncio.to_thread(self._run, *words)
        assert found.returncode == 0, found.stdout + found.stderr
        return found.stdout

    async def pasted(self, log):
        """Paste a log into the room; returns the answer."""
        await self.stage.say(log, channel=CHANNEL)
        return await self.shows("Relaunch…")

    async def forced(self, log):
        """Ask for the fix of a log although the server serves, and approve it; returns the run's id."""
        await self.pasted(log)
        (incident,) = await SqlIncidents(self._database).recent(5)
        said = await self.types("relaunch", "request", self.served.name, "--incident", incident.id, "--force")
        plan = await self.shows("waits for approval")
        await self.stage.press(plan, "Approve")
        return _RUN.search(said)[1]

    async def shows(self, word):
        """Wait until some card says it, and return that card."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                await self.stage.settled()
                for answer in self.stage.answers(CHANNEL):
                    if word in answer.text:
                        return answer
                await asyncio.sleep(0.1)

    async def states(self, run_id):
        """All that is kept of where a run stood, oldest first."""
        return [(moment.state.value, moment.detail) for moment in await self.moments(run_id)]

    async def moments(self, run_id):
        """The timeline of a run."""
        return await SqlRelaunches(*self._kept()).moments(run_id)

    async def run_id(self):
        """The id of the newest run."""
        (run, *_) = await SqlRelaunches(*self._kept()).recent(1)
        return run.id

    async def until_it_was(self, run_id, state):
        """Wait until a run has been in a state."""
        async with asyncio.timeout(PATIENCE_S):
            # another process moves it, which only the store tells
            while state not in [one for one, _ in await self.states(run_id)]:  # noqa: ASYNC110
                await asyncio.sleep(0.05)

    async def journalled(self, run_id):
        """Entries of one run, oldest first; the chain is sound."""
        await self.types("audit", "verify")
        return [json.loads(link.record) async for link in self._kept()[1].links(relaunch=run_id)]

    def _kept(self):
        return self._database, SqlJournal(self._database, read_keys(self.folder / "journal.key", {}))

    async def _start(self, _addresses):
        command = [sys.executable, "-m", "bot", "serve", "--port", "0"]
        self._process = await asyncio.to_thread(
            subprocess.Popen,
            command,
            cwd=ROOT,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        line = await asyncio.to_thread(self._process.stdout.readline)
        found = _ADDRESS.search(line)
        assert found, line + (self.folder / "bot.log").read_text()[-2000:]
        inner = SimpleNamespace(listener=SimpleNamespace(url=found[0]), database=self._database)
        return SimpleNamespace(bot=inner, idle=_idle, stop=self._stop)

    async def _stop(self):
        self._process.terminate()
        await asyncio.to_thread(self._process.communicate)

    async def _link(self):
        return _ADDRESS.search(await self.types("login"))[0]

    def _run(self, *words):
        return subprocess.run(
            [sys.executable, "-m", "bot", *words],
            cwd=ROOT,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )

    def _write_registry(self):
        may = ["view", "request", "approve", "cancel", "force"]
        host = {
            "name": "gpu1",
            "group": "lab",
            "owner": "ada",
            **self.served.way(),
            "servers": [entry_of(self.served, f"console:{CHANNEL}")],
        }
        text = {
            "version": 1,
            "access": {
                "roles": {"oncall": [os_person().id]},
                "grants": [{"role": "oncall", "may": may, "host_groups": ["lab"]}],
            },
            "hosts": [host],
        }
        (self.folder / "hosts.yaml").write_text(json.dumps(text))


class SignedIn(ConsoleStage):
    """The page, used by somebody who came in by a link."""

    def __init__(self, start_bot, link):
        super().__init__(start_bot)
        self._link = link

    async def open(self):
        await super().open()
        status, _ = await self._page.post("/login", data={"token": (await self._link()).partition("=")[2]})
        assert status == 200
        await self._page.load()


async def _idle():
    """Nobody but itself knows whether it waits for something."""
