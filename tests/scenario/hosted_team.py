"""A stage with its bot, a registry, and a host of its own whose server can be relaunched. Not tests."""

import asyncio
import json
import sys
from contextlib import AsyncExitStack, asynccontextmanager

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

PATIENCE_S = 90.0
ROOM = "general"


class Team:
    """A stage with its bot, and a host whose server has just died of FlashInfer."""

    def __init__(self, stage, host, folder):
        self.stage = stage
        self.host = host
        self.registry = folder / "hosts.yaml"
        #: who asks and who approves, in the words of the stage
        self.people = ("ann", "bob")

    def register(self, **server):
        """Write the registry for the stage; on the console there is one person."""
        stage = self.stage
        if stage.name == "console":
            self.people = ("ann", "ann")
            server = {"requester_may_approve": True, **server}
            self.write_registry("os:ann", "os:ann", f"console:{ROOM}", **server)
        elif stage.name == "discord":
            guild = stage.world.guild_id
            ids = [f"discord:{guild}:{stage.world.user(name).user.id}" for name in self.people]
            self.write_registry(*ids, f"discord:{guild}:{stage.world.channel(ROOM).id}", **server)
        else:
            space = stage.workspace
            ids = [f"slack:T0FAKE:{space.user(name).account.id}" for name in self.people]
            self.write_registry(*ids, f"slack:T0FAKE:{space.channel(ROOM).id}", **server)

    def write_registry(self, ann, bob, channel, also=(), **server):
        """Write it; `also` names more servers of the same model, which the host does not know."""
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
                    {
                        "role": "oncall",
                        "may": ["view", "request", "cancel", "fetch", "sweep"],
                        "host_groups": ["lab"],
                    },
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
                    "servers": [
                        entry,
                        *({**entry, "name": name, "port": 9_000 + at} for at, name in enumerate(also)),
                    ],
                }
            ],
        }
        self.registry.write_text(json.dumps(text))

    async def shows(self, word, patience_s=PATIENCE_S):
        """Wait until some card says it, and return that card as it is."""
        async with asyncio.timeout(patience_s):
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


@asynccontextmanager
async def a_hosted_stage(name, folder):
    """A bot on a stage (`slack-socket`, `slack-http`, `discord`, `console`) with a host of its own, not registered."""
    (folder / "host").mkdir()
    host = GpuHost(folder / "host")
    host.list_server(env={BACKEND: "FLASHINFER"})
    async with AsyncExitStack() as stack:
        stack.callback(host.clean)

        async def start(addresses):
            settings = settings_for(addresses, folder, channels=(ROOM,))
            chosen = RelaunchSettings(registry=folder / "hosts.yaml", dry_run=False, soak_seconds=1)
            return await RealBot.start(
                settings.model_copy(update={"relaunch": chosen}), Stage(Person("os:ann", "ann"))
            )

        if name == "console":
            stage = ConsoleStage(start)
        elif name == "discord":
            stage = DiscordStage(await stack.enter_async_context(World(DiscordSettings())), start)
        else:
            mode = name.removeprefix("slack-")
            stage = SlackStage(await stack.enter_async_context(Workspace(SlackSettings(), mode=mode)), start)
        await stage.open()
        stack.push_async_callback(stage.close)
        yield Team(stage, host, folder)


@asynccontextmanager
async def a_hosted_team(name, folder, **server):
    """The same with the host in the registry."""
    async with a_hosted_stage(name, folder) as team:
        team.register(**server)
        yield team
