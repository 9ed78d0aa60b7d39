"""Kills the bot at the worst moment, starts it again, and counts the answers. Not tests."""

from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bot.store.database import open_database
from bot.store.upkeep.retention import SqlRetention
from tests.fakes.discord.records import DiscordAddresses, DiscordSettings
from tests.fakes.discord.stage import DiscordStage
from tests.fakes.discord.world import World
from tests.fakes.process import BotProcess
from tests.fakes.slack.records import SlackSettings
from tests.fakes.slack.stage import SlackStage
from tests.fakes.slack.workspace import Workspace

ROOT = str(Path(__file__).parents[2])
REFUSED = "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."
PLATFORMS = ("slack-socket", "slack-http", "discord")
#: whether the reply is out when the bot is killed
MOMENTS = {"between event and answer": False, "between answer and record": True}
PATIENCE_S = 60.0


def environment_of(addresses, folder: Path, store_url: str | None = None, **more: str) -> dict[str, str]:
    """The settings of a bot as an operator would write them."""
    values = {"STATE_DIR": str(folder), "CONSOLE__PORT": "0", **more}
    if store_url is not None:
        values["STORE__URL"] = store_url
    if isinstance(addresses, DiscordAddresses):
        values |= {
            "DISCORD__TOKEN": addresses.token,
            "DISCORD__API_URL": addresses.api_url,
            "DISCORD__GATEWAY_URL": addresses.gateway_url,
        }
    else:
        secret = (
            {"SLACK__APP_TOKEN": addresses.app_token}
            if addresses.mode == "socket"
            else {"SLACK__SIGNING_SECRET": addresses.signing_secret}
        )
        values |= {
            "SLACK__BOT_TOKEN": addresses.bot_token,
            "SLACK__DELIVERY": addresses.mode,
            "SLACK__API_URL": addresses.api_url,
            **secret,
        }
    prefixed = {f"VLLM_DIAGNOSE_{name}": value for name, value in values.items()}
    return {**prefixed, "PYTHONPATH": ROOT}


async def a_process(addresses, folder: Path, store_url: str | None = None, **more: str) -> BotProcess:
    """Start the bot; it is idle when nothing that was kept waits for its answer. `more` are further settings."""
    environment = environment_of(addresses, folder, store_url, **more)
    bot = await BotProcess.start(["-m", "tests.crash.program"], environment, within_s=PATIENCE_S)

    async def idle() -> None:
        database = await open_database(store_url or f"sqlite+aiosqlite:///{folder}/store.db")
        try:
            while await SqlRetention(database).waiting():
                pass
        finally:
            await database.close()

    bot.when_idle = idle
    return bot


@asynccontextmanager
async def a_stage(platform: str, start):
    """Open one platform with a bot on it."""
    if platform == "discord":
        async with World(DiscordSettings()) as world:
            stage = DiscordStage(world, start)
            await stage.open()
            try:
                yield stage, world.faults, "POST /channels/{channel_id}/messages"
            finally:
                world.faults.release()
                await stage.close()
        return
    async with Workspace(SlackSettings(), mode=platform.removeprefix("slack-")) as workspace:
        stage = SlackStage(workspace, start)
        await stage.open()
        try:
            yield stage, workspace.faults, "chat.postMessage"
        finally:
            workspace.faults.release()
            await stage.close()


def carded_threads(stage) -> list[str | None]:
    """The threads of all cards; Slack shows a card's file as a message of its own."""
    return [answer.thread for answer in stage.answers() if answer.buttons]


async def carded(stage, *said) -> None:
    """Wait until every message has its card."""
    wanted = {one.id for one in said}
    await stage.watch.until(
        lambda: wanted <= set(carded_threads(stage)), "a card in every thread", PATIENCE_S
    )


@dataclass
class Tally:
    """How often there was no answer, one, or more."""

    platform: str
    moment: str
    answers: list[int] = field(default_factory=list)

    def __str__(self) -> str:
        once = self.answers.count(1)
        lost, twice = self.answers.count(0), sum(count > 1 for count in self.answers)
        return f"{self.platform}, killed {self.moment}: {once} of {len(self.answers)} once, {lost} lost, {twice} twice"


async def kill_and_count(platform: str, moment: str, tries: int, folder: Path) -> Tally:
    """Kill the bot `tries` times with an answer half given; return how many answers each message got."""

    async def start(addresses):
        return await a_process(addresses, folder)

    said = []
    async with a_stage(platform, start) as (stage, faults, route):
        for number in range(tries):
            gate = faults.hold(route, after_effect=MOMENTS[moment])
            said.append(await stage.say(f"try {number}\n{REFUSED}"))
            await gate.reached(PATIENCE_S)
            await stage.restart(kill=True)
            if MOMENTS[moment]:
                gate.open()
            await carded(stage, said[-1])
            await stage.bot.idle()
        await stage.settled(PATIENCE_S)
        threads = carded_threads(stage)
    return Tally(platform, moment, [threads.count(one.id) for one in said])
