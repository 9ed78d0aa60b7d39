"""From a paste to a verified server, by buttons: planned, approved by somebody else, relaunched for real, proven."""

from contextlib import AsyncExitStack

import pytest

from adapters.chat.interface import Person
from bot.bootstrap import Stage
from bot.settings import RelaunchSettings
from tests.fakes.discord.records import DiscordSettings
from tests.fakes.discord.stage import DiscordStage
from tests.fakes.discord.world import World
from tests.fakes.slack.records import SlackSettings
from tests.fakes.slack.stage import SlackStage
from tests.fakes.slack.workspace import Workspace
from tests.hosts.helper.gpu_host import BACKEND, GpuHost
from tests.scenario.console_stage import ConsoleStage
from tests.scenario.hosted_team import PATIENCE_S, ROOM, Team
from tests.scenario.real_bot import RealBot, settings_for
from tests.scenario.test_twelve_scenarios_on_four_stages import SAMPLE


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
            # who approves does so by a role
            world.user("bob").user.roles.append("7001")
            ids = [f"discord:{guild}:{world.user('ann').user.id}", f"discord:{guild}:role:7001"]
            found.write_registry(*ids, f"discord:{guild}:{world.channel(ROOM).id}")
            found.people = ("ann", "bob")
        else:
            space = stage.workspace
            # who approves does so by a user group, which no press tells
            space.groups["SLEADS"] = [space.user("bob").account.id]
            ids = [f"slack:T0FAKE:{space.user('ann').account.id}", "slack:T0FAKE:group:SLEADS"]
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
