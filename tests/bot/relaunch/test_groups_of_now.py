"""Roles by groups hold as long as somebody is in the group: at the press, and again before anything is touched."""

from dataclasses import replace
from datetime import timedelta

import pytest

from adapters.chat.interface import ChatError
from bot.access.actor import Actor, Surface
from bot.access.authorization import Refusal
from bot.access.groups import PresentGroups
from bot.access.policy import Policy
from bot.hosts.registry import Registry
from bot.relaunch.outcomes import OutcomeKind
from bot.relaunch.permission import PresentPermission
from bot.relaunch.states import State
from tests.bot.relaunch.team import ANNA, BEN, CHANNEL, EVERYTHING, a_registry, a_team, quick, wanted

LEADS, ROLE = "slack:T1:group:SLEADS", "discord:9:role:7"
DAN = Actor(Surface.DISCORD, "discord:9:5", frozenset({ROLE}), channel="discord:9:1", source="d")


class Platforms:
    """Slack and Discord, told apart by the ids of their people."""

    def __init__(self):
        self.members = {"BEN": {"SLEADS"}, "5": {"7"}}
        #: what fails next; None in the list is an answer
        self.errors = []
        self.ages = []

    async def groups_of(self, team, person_id, among, age_s):
        self.ages.append(age_s)
        error = self.errors.pop(0) if self.errors else None
        if error is not None:
            raise error
        return frozenset(self.members.get(person_id, ())) & among


def with_groups(team):
    """Let the lead's role hang on groups alone; returns the platforms."""
    channels = frozenset({CHANNEL, "discord:9:1"})
    grants = team.registry.policy.grants
    grants = (*grants, replace(grants[0], role="leads", actions=EVERYTHING))
    policy = Policy({"operators": frozenset({ANNA.id}), "leads": frozenset({LEADS, ROLE})}, grants)
    hosts = a_registry(approvers=frozenset({"leads"}), channels=channels).hosts
    team.registry = Registry(hosts, policy)
    platforms = Platforms()
    old = team.permission
    team.permission = PresentPermission(
        old.runs,
        old.approvals,
        old.registry,
        old.switches,
        old.kill_switch,
        old.clock,
        PresentGroups({"slack": platforms, "discord": platforms}),
    )
    quick(team, permission=team.permission)
    return platforms


def down():
    return ChatError("slack", "no answer", "Try again.")


async def approved(team, person):
    outcome = await team.desk.request(ANNA, wanted())
    done = await team.desk.approve(person, outcome.relaunch.id, outcome.plan.hash)
    assert done.kind is OutcomeKind.APPROVED, done
    return outcome.relaunch.id


@pytest.mark.parametrize("person", [BEN, DAN], ids=["slack", "discord"])
async def test_a_group_gives_a_role_which_is_asked_for_anew_before_the_act(tmp_path, person):
    async with a_team(tmp_path) as team:
        platforms = with_groups(team)
        run = await approved(team, person)
        platforms.ages.clear()

        assert await team.run(run) == State.COMMITTED
        assert platforms.ages == [0.0]


@pytest.mark.parametrize("person", [BEN, DAN], ids=["slack", "discord"])
async def test_whoever_left_the_group_meanwhile_has_approved_nothing(tmp_path, person):
    async with a_team(tmp_path) as team:
        platforms = with_groups(team)
        run = await approved(team, person)
        platforms.members.clear()

        assert await team.run(run) == State.VOIDED
        assert "may no longer approve" in (await team.runs.get(run)).detail
        assert team.host.effects == []


async def test_who_is_in_no_group_may_not_and_who_cannot_be_asked_about_is_told_why(tmp_path):
    async with a_team(tmp_path) as team:
        platforms = with_groups(team)
        outcome = await team.desk.request(ANNA, wanted())
        platforms.members.clear()
        refused = await team.desk.approve(BEN, outcome.relaunch.id, outcome.plan.hash)
        platforms.errors = [down()]
        unknown = await team.desk.approve(BEN, outcome.relaunch.id, outcome.plan.hash)

        assert (refused.kind, refused.refusal) == (OutcomeKind.DENIED, Refusal.NO_ROLE)
        assert (unknown.kind, unknown.refusal) == (OutcomeKind.DENIED, Refusal.GROUPS_UNKNOWN)
        assert unknown.detail == "slack: no answer. Try again."
        assert (await team.journalled())[-1]["detail"] == Refusal.GROUPS_UNKNOWN
        assert (await team.runs.get(outcome.relaunch.id)).state is State.AWAITING_APPROVAL


async def test_nothing_begins_while_nobody_says_who_is_in_the_group_and_it_begins_once_somebody_does(
    tmp_path,
):
    async with a_team(tmp_path) as team:
        platforms = with_groups(team)
        run = await approved(team, BEN)
        platforms.errors = [down(), down(), down()]
        seen = []

        async def look(_):
            seen.append(((await team.runs.get(run)).state, list(team.host.effects)))

        team.now.on_wait = look

        assert await team.run(run) == State.COMMITTED
        assert seen[:3] == [(State.LOCKED, [])] * 3
        told = [moment.detail for moment in await team.runs.moments(run)]
        (said,) = [detail for detail in told if "slack: no answer" in detail]
        assert "nothing is done" in said


async def test_what_is_not_known_until_the_plan_expires_is_never_done(tmp_path):
    async with a_team(tmp_path) as team:
        platforms = with_groups(team)
        run = await approved(team, BEN)
        platforms.errors = [down()] * 1_000

        assert await team.run(run) == State.EXPIRED
        assert team.host.effects == []
        assert team.now() < (await team.runs.get(run)).expires_at + timedelta(minutes=1)


async def test_a_run_that_waits_for_the_platform_can_be_called_off(tmp_path):
    async with a_team(tmp_path) as team:
        platforms = with_groups(team)
        run = await approved(team, BEN)
        platforms.errors = [down()] * 1_000

        async def call_off(_):
            await team.desk.cancel(ANNA, run)

        team.now.on_wait = call_off

        assert await team.run(run) == State.VOIDED
        assert team.host.effects == []


async def test_once_the_server_is_being_stopped_nobody_is_asked_any_more(tmp_path):
    async with a_team(tmp_path) as team:
        platforms = with_groups(team)
        run = await approved(team, BEN)
        platforms.errors = [None, *[down()] * 1_000]

        assert await team.run(run) == State.COMMITTED
        assert len(platforms.errors) == 1_000


async def test_the_list_shows_what_a_group_may_see(tmp_path):
    async with a_team(tmp_path) as team:
        platforms = with_groups(team)
        run = await approved(team, BEN)

        assert [one.id for one in await team.desk.list(BEN)] == [run]
        assert await team.desk.show(BEN, run) is not None
        platforms.members.clear()
        assert await team.desk.list(BEN) == ()
        assert await team.desk.show(BEN, run) is None
