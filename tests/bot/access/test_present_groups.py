"""Groups that a decision hangs on are asked for, and whoever cannot be asked about is in none."""

import asyncio
from dataclasses import replace

import pytest

from adapters.chat.interface import ChatError
from bot.access.actor import Actor, Surface
from bot.access.authorization import Authorizer, Refusal, Target
from bot.access.groups import PresentGroups, groups_at
from bot.access.policy import Action, Grant, Policy

CHANNEL = "slack:T1:C1"
ONCALL, LEADS, ROLE = "slack:T1:group:SONCALL", "slack:T1:group:SLEADS", "discord:9:role:7"
POLICY = Policy(
    {
        "oncall": frozenset({ONCALL, "slack:T1:UANN", "slack:T2:group:SOTHER"}),
        "lead": frozenset({LEADS, ROLE, "os:ada"}),
        "neighbour": frozenset({"slack:T1:group:SNEIGHBOUR"}),
    },
    (
        Grant("oncall", frozenset({Action.VIEW, Action.REQUEST, Action.APPROVE}), frozenset({"lab"})),
        Grant("lead", frozenset({Action.VIEW, Action.APPROVE}), frozenset({"lab"})),
        Grant("neighbour", frozenset(Action), frozenset({"office"})),
    ),
)
TARGET = Target(
    server="qwen",
    host="gpu1",
    host_group="lab",
    is_production=False,
    operations=frozenset({"relaunch"}),
    approvers=frozenset({"lead"}),
    approvals_needed=1,
    channels=frozenset({CHANNEL, "discord:9:1"}),
)
JUDGE = Authorizer(POLICY)
EVE = Actor(Surface.SLACK, "slack:T1:UEVE", channel=CHANNEL)
DAN = Actor(Surface.DISCORD, "discord:9:5", channel="discord:9:1")


class Platform:
    """Tells groups, or fails to."""

    def __init__(self, *groups, error=None, never=False):
        self.groups = frozenset(groups)
        self.error = error
        self.never = never
        self.asked = []

    async def groups_of(self, team, person_id, among, age_s):
        self.asked.append((team, person_id, among, age_s))
        if self.never:
            await asyncio.Event().wait()
        if self.error is not None:
            raise self.error
        return self.groups


async def decided(actor, action, platform, patience_s=5.0):
    groups = PresentGroups({"slack": platform, "discord": platform}, patience_s)
    among = JUDGE.deciding_groups(actor, action, TARGET)
    return JUDGE.decide(await groups.completed(actor, among, 60.0), action, TARGET)


async def test_a_group_gives_the_role_that_the_registry_gives_it():
    platform = Platform("SONCALL")

    decision = await decided(EVE, Action.REQUEST, platform)

    assert (decision.is_allowed, decision.role) == (True, "oncall")
    # only groups that would allow this act, and only those of this workspace
    assert platform.asked == [("T1", "UEVE", frozenset({"SONCALL"}), 60.0)]


@pytest.mark.parametrize(
    ("actor", "action"),
    [
        (replace(EVE, id="slack:T1:UANN"), Action.REQUEST),
        (replace(EVE, channel="slack:T1:OTHER"), Action.REQUEST),
        (replace(EVE, is_bot=True), Action.REQUEST),
        (EVE, Action.FETCH),
        (EVE, Action.UNLOCK),
        (Actor(Surface.TERMINAL, "os:eve"), Action.REQUEST),
        (Actor(Surface.CONSOLE, "os:eve", channel="console:general"), Action.APPROVE),
    ],
)
async def test_nobody_is_asked_where_no_group_decides(actor, action):
    platform = Platform("SONCALL", "SLEADS", "7")

    await decided(actor, action, platform)

    assert platform.asked == []


async def test_for_an_approval_only_groups_of_approvers_count():
    inside, outside = Platform("SLEADS"), Platform("SONCALL")

    assert (await decided(EVE, Action.APPROVE, inside)).role == "lead"
    assert (await decided(EVE, Action.APPROVE, outside)).refusal is Refusal.NO_ROLE
    assert outside.asked[0][2] == {"SLEADS"}


async def test_a_role_of_discord_is_asked_for_by_its_own_name():
    platform = Platform("7", "8")

    assert (await decided(DAN, Action.APPROVE, platform)).role == "lead"
    assert platform.asked == [("9", "5", frozenset({"7"}), 60.0)]


@pytest.mark.parametrize(
    ("platform", "said"),
    [
        (Platform("SLEADS", error=ChatError("slack", "it broke", "Mend it.")), "slack: it broke. Mend it."),
        (Platform("SLEADS", never=True), "slack: no answer within 0.05 s."),
    ],
)
async def test_a_platform_that_does_not_tell_puts_nobody_into_a_group(platform, said):
    groups = PresentGroups({"slack": platform}, 0.05)
    among = JUDGE.deciding_groups(EVE, Action.APPROVE, TARGET)
    actor = await groups.completed(EVE, among, 0.0)

    assert (actor.groups, actor.silence) == (frozenset(), said)
    assert JUDGE.decide(actor, Action.APPROVE, TARGET).refusal is Refusal.GROUPS_UNKNOWN
    # whoever may by their own id still may
    listed = replace(actor, id="slack:T1:UANN")
    assert JUDGE.decide(listed, Action.REQUEST, TARGET).is_allowed


async def test_where_the_platform_is_not_set_up_nobody_is_in_its_groups():
    groups = PresentGroups()
    actor = await groups.completed(EVE, JUDGE.deciding_groups(EVE, Action.APPROVE, TARGET), 60.0)

    assert actor.silence == "slack is not set up in this bot."
    assert JUDGE.decide(actor, Action.APPROVE, TARGET).refusal is Refusal.GROUPS_UNKNOWN


async def test_a_platform_that_tells_of_groups_nobody_asked_about_gives_no_role_by_them():
    platform = Platform("SLEADS", "SONCALL")

    groups = PresentGroups({"slack": platform})
    actor = await groups.completed(EVE, JUDGE.deciding_groups(EVE, Action.APPROVE, TARGET), 60.0)

    assert actor.groups == {LEADS}


def test_a_platform_s_own_ids_are_told_from_the_others():
    everybody = POLICY.members_of(frozenset(POLICY.members))

    assert groups_at(Surface.SLACK, everybody) == {"SONCALL", "SLEADS", "SNEIGHBOUR", "SOTHER"}
    assert groups_at(Surface.DISCORD, everybody) == {"7"}


async def test_a_platform_that_was_silent_a_moment_ago_is_asked_again_only_right_before_an_act():
    platform = Platform("SLEADS", error=ChatError("slack", "it broke", "Mend it."))
    groups = PresentGroups({"slack": platform})
    among = JUDGE.deciding_groups(EVE, Action.APPROVE, TARGET)
    for _ in range(20):
        assert (await groups.completed(EVE, among, 60.0)).silence == "slack: it broke. Mend it."
    assert len(platform.asked) == 1
    platform.error = None

    assert (await groups.completed(EVE, among, 60.0)).groups == frozenset()
    assert (await groups.completed(EVE, among, 0.0)).groups == {LEADS}
