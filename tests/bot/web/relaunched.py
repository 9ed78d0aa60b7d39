"""A console with a registry of one server that never answers, and people who ask for its relaunch. Not tests."""

import json
from contextlib import asynccontextmanager

from bot.clock import random_id, system_clock
from tests.bot.relaunch.team import ANNA, Team, a_registry, wanted
from tests.bot.web.served import YOU, a_bot, a_page
from tests.fakes.host import MODEL, FakeHost

EVERYTHING = ("view", "request", "approve", "reject", "cancel")


class ClockTeam(Team):
    """A team whose runs have ids that nobody else gives, on the wall's clock."""

    def new_id(self):
        return random_id()


def write_registry(folder, *, may=EVERYTHING, model=MODEL, people=(YOU.id, ANNA.id)):
    server = {
        "name": "qwen",
        "driver": "process",
        "port": 8000,
        "model": model,
        "expected_start_seconds": 60,
        "operations": ["relaunch"],
        "approvers": ["operators"],
        "channels": [ANNA.channel],
    }
    host = {
        "name": "gpu-1",
        "group": "lab",
        "owner": "the lab",
        "transport": "local",
        # a machine that never answers
        "helper": ["false"],
        "servers": [server],
    }
    access = {
        "roles": {"operators": list(people)},
        "grants": [{"role": "operators", "may": list(may), "host_groups": ["lab"]}],
    }
    file = folder / "hosts.yaml"
    file.write_text(json.dumps({"version": 1, "access": access, "hosts": [host]}))
    return file


def team_of(bot):
    """Return people who use the same store as the bot, with a host in memory."""
    return ClockTeam(
        bot.database,
        FakeHost(system_clock),
        system_clock,
        registry=a_registry(),
        keys=bot.acting.journal._keys,
    )


@asynccontextmanager
async def a_console(folder, *, everybody=YOU, **registry):
    """A bot with a registry, its page, and the people who asked for a relaunch of its server."""
    file = write_registry(folder, **registry)
    relaunch = {"registry": file, "dry_run": False}
    async with a_bot(folder, everybody=everybody, relaunch=relaunch) as bot, a_page(bot.listener.url) as page:
        await page.load()
        yield bot, page, team_of(bot)


async def planned(team):
    outcome = await team.desk.request(ANNA, wanted())
    assert outcome.plan is not None, outcome
    return outcome.relaunch.id, outcome.plan.hash
