"""Who may do what on which host, on all four surfaces: whatever no list allows is refused."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.access.actor import Actor, Surface
from bot.access.authorization import (
    OPERATIONS,
    Approval,
    Authorizer,
    Decision,
    Refusal,
    Request,
    Sight,
    Target,
)
from bot.access.policy import Action, Grant, Policy

#: turning all relaunching off is about no server
ON_A_SERVER = [action for action in Action if action is not Action.SWITCH]
NOON = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
PLAN = "a" * 64
CHANNEL = {Surface.SLACK: "slack:T1:C1", Surface.DISCORD: "discord:G1:C1"}
IDS = {
    Surface.SLACK: "slack:T1:{}",
    Surface.DISCORD: "discord:G1:{}",
    Surface.CONSOLE: "os:{}",
    Surface.TERMINAL: "os:{}",
}

#: role → what it may; `lead` approves, `oncall` asks, `viewer` looks
MAY = {
    "viewer": {Action.VIEW},
    "oncall": {Action.VIEW, Action.REQUEST, Action.CANCEL, Action.FETCH, Action.SWEEP},
    "lead": set(Action) - {Action.UNLOCK},
    "admin": set(Action),
    "none": set(),
}


def actor_of(role, surface, **values):
    name = IDS[surface].format(role)
    return Actor(surface, name, channel=CHANNEL.get(surface, ""), **values)


POLICY = Policy(
    members={
        role: frozenset(IDS[surface].format(role) for surface in Surface) for role in MAY if role != "none"
    },
    grants=tuple(
        Grant(role, frozenset(actions), frozenset({"lab"})) for role, actions in MAY.items() if actions
    ),
    persons={IDS[surface].format(name): name for surface in Surface for name in ("lead", "admin", "oncall")},
)
TARGET = Target(
    server="qwen",
    host="gpu1",
    host_group="lab",
    is_production=False,
    operations=frozenset({"relaunch", "fetch", "sweep"}),
    approvers=frozenset({"lead", "admin"}),
    approvals_needed=1,
    channels=frozenset(CHANNEL.values()),
)
ALL = Authorizer(POLICY)
REQUEST = Request("os:somebody", PLAN, NOON + timedelta(minutes=30))
SIGHT = Sight(PLAN, NOON)


def approval(name, surface=Surface.SLACK, plan=PLAN):
    actor = actor_of(name, surface)
    return Approval(actor.id, plan, actor.is_signed_in, NOON)


@pytest.mark.parametrize("surface", Surface)
@pytest.mark.parametrize("action", ON_A_SERVER)
@pytest.mark.parametrize("role", MAY)
def test_every_action_by_every_role_on_every_surface(role, action, surface):
    decision = ALL.decide_on_plan(actor_of(role, surface), action, TARGET, REQUEST, SIGHT)

    assert decision.is_allowed is (action in MAY[role])
    assert decision == (Decision(None, role) if action in MAY[role] else Decision(Refusal.NO_ROLE))


@pytest.mark.parametrize("surface", Surface)
@pytest.mark.parametrize("action", ON_A_SERVER)
def test_nobody_may_anything_by_an_empty_policy(action, surface):
    assert ALL.decide(actor_of("none", surface), action, TARGET) == Decision(Refusal.NO_ROLE)
    assert Authorizer(Policy()).decide(actor_of("admin", surface), action, TARGET) == Decision(
        Refusal.NO_ROLE
    )


@pytest.mark.parametrize("surface", Surface)
@pytest.mark.parametrize("action", ON_A_SERVER)
def test_a_bot_may_nothing_whatever_its_role(action, surface):
    assert ALL.decide(actor_of("admin", surface, is_bot=True), action, TARGET) == Decision(Refusal.BOT)


@pytest.mark.parametrize("surface", Surface)
@pytest.mark.parametrize("action", ON_A_SERVER)
def test_a_role_holds_only_in_the_group_it_was_granted_for(action, surface):
    other = replace(TARGET, host_group="production")

    assert ALL.decide(actor_of("admin", surface), action, other) == Decision(Refusal.NO_ROLE)


@pytest.mark.parametrize("surface", Surface)
@pytest.mark.parametrize("action", OPERATIONS)
def test_what_a_servers_entry_does_not_list_is_refused_to_all(action, surface):
    bare = replace(TARGET, operations=frozenset())

    assert ALL.decide(actor_of("admin", surface), action, bare) == Decision(Refusal.OPERATION)


@pytest.mark.parametrize("surface", CHANNEL)
@pytest.mark.parametrize("action", ON_A_SERVER)
@pytest.mark.parametrize("channel", ["", "slack:T1:C2", "slack:T2:C1", "discord:G1:C2", "C1"])
def test_a_server_is_acted_on_only_from_its_own_channels(channel, action, surface):
    elsewhere = replace(actor_of("admin", surface), channel=channel)

    assert ALL.decide(elsewhere, action, TARGET) == Decision(Refusal.CHANNEL)
    assert ALL.decide(actor_of("admin", surface), action, replace(TARGET, channels=frozenset())) == Decision(
        Refusal.CHANNEL
    )


def test_a_role_by_a_role_of_the_platform_counts():
    surface, group = Surface.DISCORD, "discord:G1:role:R1"
    policy = replace(POLICY, members={"oncall": frozenset({group})})
    stranger = replace(actor_of("none", surface), groups=frozenset({group}))

    assert Authorizer(policy).decide(stranger, Action.REQUEST, TARGET) == Decision(None, "oncall")
    assert not Authorizer(policy).decide(actor_of("none", surface), Action.REQUEST, TARGET).is_allowed


def test_an_approver_has_to_be_on_the_servers_own_list():
    only_admins = replace(TARGET, approvers=frozenset({"admin"}))
    nobody = replace(TARGET, approvers=frozenset())

    assert ALL.decide(actor_of("lead", Surface.SLACK), Action.APPROVE, only_admins) == Decision(
        Refusal.NOT_AN_APPROVER
    )
    assert ALL.decide(actor_of("admin", Surface.SLACK), Action.APPROVE, nobody) == Decision(
        Refusal.NOT_AN_APPROVER
    )


@pytest.mark.parametrize("surface", Surface)
def test_nobody_approves_their_own_request_not_even_by_another_account(surface):
    for asked_from in Surface:
        own = replace(REQUEST, requester_id=IDS[asked_from].format("lead"))
        decision = ALL.decide_on_plan(actor_of("lead", surface), Action.APPROVE, TARGET, own, SIGHT)
        assert decision == Decision(Refusal.OWN_REQUEST)

    alone = replace(TARGET, requester_may_approve=True)
    own = replace(REQUEST, requester_id=IDS[surface].format("lead"))
    assert ALL.decide_on_plan(actor_of("lead", surface), Action.APPROVE, alone, own, SIGHT).is_allowed


def test_one_person_counts_once_whatever_account_they_use():
    two = replace(TARGET, approvals_needed=2)
    once = replace(REQUEST, approvals=(approval("lead"),))
    again = ALL.decide_on_plan(actor_of("lead", Surface.DISCORD), Action.APPROVE, two, once, SIGHT)

    assert again == Decision(Refusal.TWICE)
    both = replace(REQUEST, approvals=(approval("lead"), approval("lead", Surface.CONSOLE)))
    assert ALL.approvals_missing(both, two) == 1
    assert not ALL.is_approved(both, two, NOON)
    assert ALL.is_approved(replace(REQUEST, approvals=(approval("lead"), approval("admin"))), two, NOON)


def test_an_approval_after_the_end_is_refused_and_earlier_ones_lapse():
    late = Sight(PLAN, REQUEST.expires_at)
    approved = replace(REQUEST, approvals=(approval("lead"),))

    assert ALL.decide_on_plan(
        actor_of("lead", Surface.SLACK), Action.APPROVE, TARGET, REQUEST, late
    ) == Decision(Refusal.EXPIRED)
    assert ALL.is_approved(approved, TARGET, NOON)
    assert not ALL.is_approved(approved, TARGET, REQUEST.expires_at)


def test_an_approval_of_another_plan_does_not_count():
    old = replace(REQUEST, approvals=(approval("lead", plan="b" * 64),))

    assert not ALL.is_approved(old, TARGET, NOON)
    for action in (Action.APPROVE, Action.REJECT, Action.CANCEL):
        decision = ALL.decide_on_plan(
            actor_of("admin", Surface.CONSOLE), action, TARGET, REQUEST, Sight("b" * 64, NOON)
        )
        assert decision == Decision(Refusal.OTHER_PLAN)


def test_production_takes_no_single_chat_account_for_proof():
    production = replace(TARGET, is_production=True)
    by_chat = replace(REQUEST, approvals=(approval("lead", Surface.SLACK),))

    assert not ALL.is_approved(by_chat, production, NOON)
    assert ALL.approvals_missing(by_chat, production) == 1
    for more in (approval("admin", Surface.DISCORD), approval("lead", Surface.CONSOLE)):
        enough = replace(by_chat, approvals=(*by_chat.approvals, more))
        assert ALL.is_approved(enough, production, NOON)
    # the same person may add the proof that their chat account lacks
    proof = ALL.decide_on_plan(actor_of("lead", Surface.CONSOLE), Action.APPROVE, production, by_chat, SIGHT)
    assert proof.is_allowed


@pytest.mark.parametrize("needed", [0, -1])
def test_a_server_that_needs_no_approval_is_never_approved(needed):
    approved = replace(REQUEST, approvals=(approval("lead"), approval("admin")))

    assert not ALL.is_approved(approved, replace(TARGET, approvals_needed=needed), NOON)


@given(
    names=st.lists(st.tuples(st.sampled_from(sorted(MAY)), st.sampled_from(Surface)), max_size=6),
    needed=st.integers(1, 3),
    production=st.booleans(),
    requester=st.sampled_from(sorted(MAY)),
)
def test_no_order_of_clicks_approves_with_too_few_people(names, needed, production, requester):
    target = replace(TARGET, approvals_needed=needed, is_production=production)
    request = replace(REQUEST, requester_id=IDS[Surface.SLACK].format(requester))
    for name, surface in names:
        actor = actor_of(name, surface)
        if ALL.decide_on_plan(actor, Action.APPROVE, target, request, SIGHT).is_allowed:
            given_word = Approval(actor.id, PLAN, actor.is_signed_in, NOON)
            request = replace(request, approvals=(*request.approvals, given_word))

    people = {POLICY.person(one.actor_id) for one in request.approvals}
    assert POLICY.person(request.requester_id) not in people
    assert people <= {"lead", "admin"}
    signed = any(one.is_signed_in for one in request.approvals)
    enough = len(people) >= needed and (not production or len(people) > 1 or signed)
    assert ALL.is_approved(request, target, NOON) is enough


EVERYWHERE = frozenset({"lab", "production"})
SWITCHERS = Authorizer(
    Policy(
        {"one": frozenset({"os:one", "slack:T1:one"}), "both": frozenset({"os:both"})},
        (
            Grant("one", frozenset({Action.SWITCH}), frozenset({"lab"})),
            Grant("both", frozenset({Action.SWITCH}), EVERYWHERE),
            Grant("other", frozenset(ON_A_SERVER), EVERYWHERE),
        ),
    )
)


@pytest.mark.parametrize("surface", [Surface.TERMINAL, Surface.CONSOLE])
@pytest.mark.parametrize(
    ("name", "off", "on"),
    [("both", True, True), ("one", True, False), ("other", False, False), ("none", False, False)],
)
def test_relaunching_is_turned_off_by_whoever_may_anywhere_and_on_by_whoever_may_everywhere(
    name, off, on, surface
):
    actor = Actor(surface, f"os:{name}")

    assert SWITCHERS.decide_on_switch(actor, EVERYWHERE, on=False).is_allowed is off
    assert SWITCHERS.decide_on_switch(actor, EVERYWHERE, on=True).is_allowed is on
    assert SWITCHERS.decide_on_switch(actor, frozenset(), on=False) == Decision(Refusal.NO_ROLE)
    bot = replace(actor, is_bot=True)
    assert SWITCHERS.decide_on_switch(bot, EVERYWHERE, on=False) == Decision(Refusal.BOT)


@pytest.mark.parametrize("surface", CHANNEL)
def test_no_chat_account_turns_relaunching_off_or_on(surface):
    actor = replace(actor_of("admin", surface), id="slack:T1:one")

    for on in (True, False):
        assert SWITCHERS.decide_on_switch(actor, EVERYWHERE, on=on) == Decision(Refusal.CHANNEL)


@pytest.mark.parametrize("surface", Surface)
def test_turning_relaunching_off_is_no_act_on_a_server(surface):
    assert ALL.decide(actor_of("admin", surface), Action.SWITCH, TARGET) == Decision(Refusal.OPERATION)
