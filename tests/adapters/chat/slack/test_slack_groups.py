"""Who is in Slack's user groups: asked for, remembered for a moment, and never guessed."""

from collections.abc import AsyncIterator

import pytest

from adapters.chat.errors import ChatError, NotAllowedError, RateLimitedError, UnreachableError
from adapters.chat.slack.setup.examination import examine
from adapters.chat.slack.web.api import Api
from adapters.chat.slack.web.groups import UserGroups
from tests.adapters.chat.slack.small_bot import options_for
from tests.fakes.faults import Fault
from tests.fakes.slack.records import ALL_SCOPES, SlackSettings
from tests.fakes.slack.workspace import Workspace

TEAM = "T0FAKE"
METHOD = "usergroups.users.list"
BOTH = frozenset({"S1", "S2"})


class Desk:
    """Groups of a workspace, asked for by a bot that need not be connected."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.api = Api(options_for(workspace.addresses, rate_limit_tries=0))
        self.groups = UserGroups(self.api)
        self.ann = workspace.user("ann").account.id
        workspace.groups |= {"S1": [self.ann], "S2": [workspace.user("bob").account.id]}

    async def of_ann(self, among: frozenset[str] = BOTH, age_s: float = 60.0) -> frozenset[str]:
        return await self.groups.of(TEAM, self.ann, among, age_s)

    def asked(self) -> list[str]:
        return [str(call.args["usergroup"]) for call in self.workspace.api.called(METHOD)]


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    async with Workspace(SlackSettings(events=frozenset())) as workspace:
        desk = Desk(workspace)
        yield desk
        await desk.api.close()


async def test_somebody_is_in_the_groups_that_list_them_and_in_no_other(desk: Desk) -> None:
    assert await desk.of_ann() == {"S1"}
    assert await desk.groups.of(TEAM, "U404", BOTH, 60.0) == frozenset()
    assert await desk.of_ann(frozenset()) == frozenset()


async def test_each_group_is_asked_for_once_in_a_moment_whoever_it_is_about(desk: Desk) -> None:
    await desk.of_ann()
    await desk.groups.of(TEAM, "U404", BOTH, 60.0)

    assert sorted(desk.asked()) == ["S1", "S2"]


async def test_whoever_left_a_group_is_not_in_it_when_it_is_asked_for_anew(desk: Desk) -> None:
    await desk.of_ann()
    desk.workspace.groups["S1"].clear()

    assert await desk.of_ann() == {"S1"}
    assert await desk.of_ann(age_s=0.0) == frozenset()
    # what was heard last is what is remembered
    assert await desk.of_ann() == frozenset()


async def test_nobody_is_in_a_group_that_is_gone_or_switched_off(desk: Desk) -> None:
    desk.workspace.groups_off.add("S1")

    assert await desk.of_ann(frozenset({"S1", "S404"})) == frozenset()


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (Fault(METHOD, status=500), UnreachableError),
        (Fault(METHOD, status=429, retry_after_s=0), RateLimitedError),
        (Fault(METHOD, error="plan_upgrade_required"), ChatError),
        (Fault("auth.test", status=500), UnreachableError),
    ],
)
async def test_an_answer_that_does_not_come_is_told_and_not_remembered(desk, fault, kind) -> None:
    desk.workspace.faults.plan(fault)

    with pytest.raises(kind):
        await desk.of_ann()
    assert await desk.of_ann() == {"S1"}


async def test_groups_of_another_workspace_are_not_asked_for(desk: Desk) -> None:
    with pytest.raises(ChatError, match="another workspace"):
        await desk.groups.of("T0OTHER", desk.ann, BOTH, 60.0)
    assert desk.asked() == []


async def test_a_token_that_may_not_read_groups_says_which_scope_is_missing() -> None:
    async with Workspace(SlackSettings(scopes=ALL_SCOPES - {"usergroups:read"})) as workspace:
        desk = Desk(workspace)
        with pytest.raises(NotAllowedError, match="usergroups:read"):
            await desk.of_ann()
        await desk.api.close()


async def test_the_doctor_looks_at_scope_and_groups_where_the_registry_names_some() -> None:
    async with Workspace(SlackSettings()) as workspace:
        workspace.groups["S1"] = []
        sound = await examine(options_for(workspace.addresses, groups=frozenset({"S1"})))
        gone = await examine(options_for(workspace.addresses, groups=BOTH))
    async with Workspace(SlackSettings(scopes=ALL_SCOPES - {"usergroups:read"})) as workspace:
        unused = await examine(options_for(workspace.addresses))
        lacking = await examine(options_for(workspace.addresses, groups=BOTH))

    assert (sound, unused) == ([], [])
    assert [str(fault).partition(",")[0] for fault in gone] == ["slack: there is no user group S2"]
    assert "usergroups:read" in str(lacking[0])
