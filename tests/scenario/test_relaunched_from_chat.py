"""From a paste to a verified server, by buttons: planned, approved by somebody else, relaunched for real, proven."""

import asyncio
import json
import sys
from contextlib import AsyncExitStack

import pytest

from adapters.chat.interface import Person
from bot.bootstrap import Stage
from bot.settings import RelaunchSettings
from bot.store.journal import SqlJournal
from tests.fakes.discord.records import DiscordSettings
from tests.fakes.discord.stage import DiscordStage
from tests.fakes.discord.world import World
from tests.fakes.slack.records import SlackSettings
from tests.fakes.slack.stage import SlackStage
from tests.fakes.slack.workspace import Workspace
from tests.hosts.helper.gpu_host import BACKEND, MODEL, ROOT, GpuHost
from tests.scenario.console_stage import ConsoleStage
from tests.scenario.real_bot import RealBot, settings_for
from tests.scenario.test_twelve_scenarios_on_four_stages import SAMPLE

PATIENCE_S = 90.0
ROOM = "general"


class Team:
    """A stage with its bot, and a host whose server has just died of FlashInfer."""

    def __init__(self, stage, host, folder):
        self.stage = stage
        self.host = host
        self.registry = folder / "hosts.yaml"

    def write_registry(self, ann, bob, channel, **server):
        helper = self.host.folder / "helper.json"
        command = ["env", f"VLLM_DIAGNOSE_HELPER_CONFIG={helper}", sys.executable, "-I", "-S"]
        command += [str(ROOT / "adapters/hosts/helper/__main__.py"), "serve-request"]
        entry = {
            "name": self.host.name,
            "driver": "process",
            "port": self.host.port,
            "model": MODEL,
            "vllm_version": "0.11.2",
            "gpu_name": "H100",
            "expected_start_seconds": 30,
            "operations": ["relaunch"],
            "approvers": ["lead"],
            "channels": [channel],
            **server,
        }
        text = {
            "version": 1,
            "access": {
                "roles": {"oncall": [ann], "lead": [bob]},
                "grants": [
                    {"role": "oncall", "may": ["view", "request", "cancel"], "host_groups": ["lab"]},
                    {"role": "lead", "may": ["view", "approve", "reject", "cancel"], "host_groups": ["lab"]},
                ],
            },
            "hosts": [
                {
                    "name": "gpu1",
                    "group": "lab",
                    "owner": "ada",
                    "transport": "local",
                    "helper": command,
                    "servers": [entry],
                }
            ],
        }
        self.registry.write_text(json.dumps(text))

    async def shows(self, word):
        """Wait until some card says it, and return that card as it is."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                await self.stage.settled(PATIENCE_S)
                for answer in self.stage.answers(ROOM):
                    if word in answer.text:
                        return answer
                await asyncio.sleep(0.1)

    async def journalled(self):
        database = self.stage.bot.bot.database
        links = SqlJournal(database, self.stage.bot.bot.acting.journal._keys).links()
        return [json.loads(link.record) async for link in links]


@pytest.fixture(params=["slack-socket", "discord", "console"])
async def team(request, tmp_path):
    (tmp_path / "host").mkdir()
    host = GpuHost(tmp_path / "host")
    host.list_server(env={BACKEND: "FLASHINFER"})
    async with AsyncExitStack() as stack:
        stack.callback(host.clean)

        async def start(addresses):
            settings = settings_for(addresses, tmp_path, channels=(ROOM,))
            chosen = RelaunchSettings(registry=tmp_path / "hosts.yaml", dry_run=False, soak_seconds=1)
            return await RealBot.start(
                settings.model_copy(update={"relaunch": chosen}), Stage(Person("os:ann", "ann"))
            )

        if request.param == "console":
            stage = ConsoleStage(start)
        elif request.param == "discord":
            stage = DiscordStage(await stack.enter_async_context(World(DiscordSettings())), start)
        else:
            workspace = await stack.enter_async_context(Workspace(SlackSettings(), mode="socket"))
            stage = SlackStage(workspace, start)
        await stage.open()
        stack.push_async_callback(stage.close)
        found = Team(stage, host, tmp_path)
        if request.param == "console":
            found.write_registry("os:ann", "os:ann", f"console:{ROOM}", requester_may_approve=True)
            found.people = ("ann", "ann")
        elif request.param == "discord":
            world, guild = stage.world, stage.world.guild_id
            ids = [f"discord:{guild}:{world.user(name).user.id}" for name in ("ann", "bob")]
            found.write_registry(*ids, f"discord:{guild}:{world.channel(ROOM).id}")
            found.people = ("ann", "bob")
        else:
            space = stage.workspace
            ids = [f"slack:T0FAKE:{space.user(name).account.id}" for name in ("ann", "bob")]
            found.write_registry(*ids, f"slack:T0FAKE:{space.channel(ROOM).id}")
            found.people = ("ann", "bob")
        yield found


async def test_a_paste_becomes_a_verified_server(team):
    stage, host = team.stage, team.host
    asker, approver = team.people
    await stage.say(SAMPLE, channel=ROOM, person=asker)
    answer = await stage.next_answer(channel=ROOM, within_s=PATIENCE_S)
    assert "Relaunch…" in answer.buttons

    await stage.press(answer, "Relaunch…", person=asker)
    plan = await team.shows("waits for approval")
    assert f"- {BACKEND}=FLASHINFER" in plan.text
    assert plan.buttons == ("Approve", "Reject")
    assert host.starts() == []

    await stage.press(plan, "Approve", person=approver)
    if stage.name == "discord":
        # Discord has no question of its own before a press: the bot asks whoever pressed
        asked = await team.shows("Are you sure?")
        await stage.press(asked, "Approve", person=approver)
    done = await team.shows("is fixed and verified")

    assert done.id == plan.id
    assert done.buttons == ()
    assert "a real completion makes sense" in done.text
    assert len(host.starts()) == 1
    assert host.status()["phase"] == "committed"
    assert BACKEND not in host.status()["running"]["env"]
    acts = [(entry["stage"], entry["act"]) for entry in await team.journalled()]
    assert acts.index(("intent", "start")) < acts.index(("result", "start"))
    assert ("decision", "approve") in acts
