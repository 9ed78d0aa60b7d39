"""Plays a soak: bursts in channels, redeliveries, broken connections; then counts. Not tests."""

import random
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.crash.killing import a_process
from tests.fakes.discord.world import World
from tests.fakes.slack.workspace import Workspace
from tests.fakes.stage import Seen
from tests.fakes.watch import NeverHappenedError
from tests.soak import discord_ground, slack_ground
from tests.soak.discord_ground import DiscordGround
from tests.soak.figures import Figures
from tests.soak.ground import PATIENCE_S, Ground
from tests.soak.material import lines, question
from tests.soak.slack_ground import SlackGround

PLATFORMS = ("slack", "slack-http", "discord")
_BURST = 10
_CHANNELS = tuple(f"team-{number}" for number in range(20))
_PEOPLE = tuple(f"person-{number}" for number in range(40))
#: bursts between two breaks of the connections
_CALM = 8


@dataclass(frozen=True)
class Plan:
    """What is played."""

    platform: str
    messages: int = 2_000
    incidents: float = 0.05
    redelivered: float = 0.05
    commands: int = 20
    seed: int = 1


@asynccontextmanager
async def a_ground(platform: str, start) -> AsyncIterator[Ground]:
    """Open a platform with two bots."""
    if platform == "discord":
        async with World(discord_ground.STRICT) as world, _opened(DiscordGround(world, start)) as ground:
            yield ground
        return
    mode = "http" if platform == "slack-http" else "socket"
    workspace = Workspace(slack_ground.STRICT, mode=mode)
    async with workspace, _opened(SlackGround(workspace, start)) as ground:
        yield ground


@asynccontextmanager
async def _opened(ground: Ground) -> AsyncIterator[Ground]:
    try:
        await ground.open()
        yield ground
    finally:
        await ground.close()


async def soak(plan: Plan, folder: Path, store_url: str | None) -> Figures:
    """Play it with two processes on one store; returns what was measured."""
    chance = random.Random(plan.seed)  # noqa: S311 (dice for tests)

    async def start(addresses):
        return await a_process(addresses, folder, store_url)

    began = time.monotonic()
    async with a_ground(plan.platform, start) as ground:
        said = await _say_all(plan, ground, chance)
        await _all_answered(ground, said, plan.commands)
        found = ground.cards()
        wanted = [message.id for message, is_incident in said if is_incident]
        asked = [f"#asks-{number}" for number in range(plan.commands)]
        return Figures(
            platform=plan.platform,
            store=(store_url or "sqlite").partition("+")[0].partition(":")[0],
            messages=len(said),
            incidents=len(wanted),
            redelivered=round(plan.messages * plan.redelivered),
            commands=plan.commands,
            answers=Counter(found[one] for one in wanted),
            replies=Counter(found[one] for one in asked),
            others=sum(count for place, count in found.items() if place not in {*wanted, *asked}),
            acks_s=ground.acks_s(),
            late_acks=ground.late_acks(),
            given_up=ground.given_up(),
            faults=ground.seen_faults(),
            seconds=time.monotonic() - began,
            memory_mib=[bot.largest_memory_mib() for bot in (ground.stage.bot, ground.second)],
        )


async def _say_all(plan: Plan, ground: Ground, chance: random.Random) -> list[tuple[Seen, bool]]:
    said: list[tuple[Seen, bool]] = []
    asked = breaks = 0
    said_later = list(lines(plan.messages, plan.incidents, plan.seed))
    bursts = [said_later[at : at + _BURST] for at in range(0, len(said_later), _BURST)]
    again = Counter(chance.choices(range(len(bursts)), k=round(plan.messages * plan.redelivered)))
    for number, burst in enumerate(bursts):
        channel = chance.choice(_CHANNELS)
        for line in burst:
            person = chance.choice(_PEOPLE)
            message = await ground.stage.say(line.text, person=person, channel=channel, files=line.files)
            said.append((message, line.is_incident))
        for message, _ in chance.sample(said[-100:], min(again[number], len(said))):
            await ground.stage.deliver_again(message)
        if number % _CALM == _CALM - 1 or number == len(bursts) - 1:
            await ground.connected()
            await ground.breathe()
            while asked * len(bursts) < plan.commands * (number + 1):
                await ground.command(question(asked), f"asks-{asked}")
                asked += 1
            await ground.break_connections(breaks)
            breaks += 1
        elif number % 2:
            await ground.breathe()
    return said


async def _all_answered(ground: Ground, said: list[tuple[Seen, bool]], commands: int) -> None:
    """Wait until what is to be answered is, and then until nothing more can come."""
    wanted = {message.id for message, is_incident in said if is_incident}
    wanted |= {f"#asks-{number}" for number in range(commands)}
    with suppress(NeverHappenedError):
        await ground.stage.watch.until(
            lambda: wanted <= set(ground.cards()), "an answer to everything", PATIENCE_S
        )
    await ground.connected()
    await ground.stage.settled(PATIENCE_S)
