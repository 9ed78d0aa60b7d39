"""From a log that nobody read to a plan: what `watch` raised is relaunched like a paste."""

import pytest

from tests.hosts.helper.gpu_host import BACKEND
from tests.scenario.hosted_team import ROOM, a_hosted_team
from tests.scenario.test_raised_by_watch import Watched
from tests.scenario.test_twelve_scenarios_on_four_stages import SAMPLE


@pytest.fixture(params=["slack-socket", "discord", "console"])
async def team(request, tmp_path):
    async with a_hosted_team(request.param, tmp_path) as found:
        yield found


async def test_a_failure_that_watch_saw_is_planned_for_by_one_press(team):
    watched = Watched(team.stage, ROOM)
    asker, _ = team.people
    await watched.raises(SAMPLE)
    answer = await watched.answer()

    await team.stage.press(answer, "Relaunch…", person=asker)
    plan = await team.shows("waits for approval")

    assert f"- {BACKEND}=FLASHINFER" in plan.text
    assert plan.thread == answer.thread == watched.heads()[0].id
