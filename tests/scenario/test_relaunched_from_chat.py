"""From a paste to a verified server, by buttons: planned, approved by somebody else, relaunched for real, proven."""

import pytest

from tests.hosts.helper.gpu_host import BACKEND
from tests.scenario.hosted_team import PATIENCE_S, ROOM, a_hosted_team
from tests.scenario.test_twelve_scenarios_on_four_stages import SAMPLE


@pytest.fixture(params=["slack-socket", "discord", "console"])
async def team(request, tmp_path):
    async with a_hosted_team(request.param, tmp_path) as found:
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
