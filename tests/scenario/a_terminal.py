"""A shell beside a bot that runs, with an incident and a host whose server is broken. Not tests."""

import asyncio
import io
import json
import re
from contextlib import asynccontextmanager, redirect_stderr, redirect_stdout

from bot.access.signing_in import os_person
from bot.cli.app import main
from bot.store.incidents import SqlIncidents
from bot.store.relaunches.runs import SqlRelaunches
from tests.scenario.hosted_team import ROOM, a_hosted_stage
from tests.scenario.test_twelve_scenarios_on_four_stages import SAMPLE

PATIENCE_S = 90.0


class Terminal:
    """Somebody's shell beside the bot, and the incident that is talked about there."""

    def __init__(self, team):
        self.team = team
        self.host = team.host
        self.incident = ""

    async def runs(self):
        acting = self.team.stage.bot.bot.acting
        return await SqlRelaunches(acting.database, acting.journal).recent(10)

    async def types(self, *arguments):
        """Type a command; returns its code, its answer and what it said beside it."""
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = await asyncio.to_thread(main, ["relaunch", *arguments])
        assert "Traceback" not in err.getvalue(), err.getvalue()
        return code, out.getvalue(), err.getvalue()

    async def requested(self):
        code, out, err = await self.types("request", self.host.name, "--incident", self.incident)
        assert code == 0, err
        return re.search(r"^([0-9a-f]{32}): waits for approval", out, re.MULTILINE)[1]


@asynccontextmanager
async def a_terminal(tmp_path, monkeypatch):
    """A shell beside a bot with a console and one server, whose failure was pasted."""
    for name, value in {
        "STATE_DIR": str(tmp_path),
        "STORE__URL": f"sqlite+aiosqlite:///{tmp_path}/store.db",
        "RELAUNCH__REGISTRY": str(tmp_path / "hosts.yaml"),
        "RELAUNCH__DRY_RUN": "false",
        "RELAUNCH__SOAK_SECONDS": "1",
    }.items():
        monkeypatch.setenv(f"VLLM_DIAGNOSE_{name}", value)
    monkeypatch.setenv("COLUMNS", "200")
    # nobody becomes another by a variable
    monkeypatch.setenv("LOGNAME", "bob")
    async with a_hosted_stage("console", tmp_path) as team:
        stage = team.stage
        me = os_person().id
        write(team, me)
        found = Terminal(team)
        await stage.say(SAMPLE, channel=ROOM)
        await stage.next_answer(channel=ROOM, within_s=PATIENCE_S)
        (incident,) = await SqlIncidents(stage.bot.bot.database).recent(5)
        found.incident = incident.id
        yield found


def write(team, me, *, operations=("relaunch", "fetch", "sweep"), may=None):
    team.write_registry(me, me, f"console:{ROOM}", requester_may_approve=True, operations=list(operations))
    text = json.loads(team.registry.read_text())
    every = ["view", "request", "approve", "reject", "cancel", "force", "fetch", "sweep", "unlock", "switch"]
    for grant in text["access"]["grants"]:
        grant["may"] = every if may is None else may
    team.registry.write_text(json.dumps(text))
