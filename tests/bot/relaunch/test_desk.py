"""Acts at the desk: who may, what waits, one run from many clicks, everything in the journal."""

import asyncio
from dataclasses import replace
from datetime import time, timedelta
from zoneinfo import ZoneInfo

import pytest

from bot.access.authorization import Refusal
from bot.access.policy import Action, Grant
from bot.hosts.maintenance import DAYS, Window
from bot.relaunch.gating.wish import Switches
from bot.relaunch.outcomes import OutcomeKind
from bot.relaunch.states import BlockReason, State
from bot.store.relaunches.interface import UnknownRelaunchError
from rules.engine.report import Change, FixKind
from tests.bot.relaunch.team import (
    ANNA,
    BEN,
    EVE,
    OLD_FAILURE,
    ROOT,
    Team,
    a_registry,
    a_remedy,
    a_team,
    wanted,
)
from tests.bot.store.kept import opened
from tests.fakes.host import Behaviour, FakeHost, Fault


async def planned(team, **values):
    outcome = await team.desk.request(ANNA, wanted(**values))
    assert outcome.kind is OutcomeKind.PLANNED, outcome
    return outcome


async def test_a_request_makes_a_plan_that_waits_for_somebody_else(tmp_path):
    async with a_team(tmp_path) as team:
        outcome = await planned(team)

        run = await team.runs.get(outcome.relaunch.id)
        assert run.state is State.AWAITING_APPROVAL
        assert run.plan_hash == outcome.plan.hash
        assert run.expires_at - run.asked_at == timedelta(minutes=30)
        assert team.host.effects == []
        states = [moment.state for moment in await team.runs.moments(run.id)]
        assert states == ["requested", "planned", "preflight_ok", "awaiting_approval"]


@pytest.mark.parametrize(
    ("actor", "refusal"),
    [
        (EVE, Refusal.NO_ROLE),
        (replace(ANNA, is_bot=True), Refusal.BOT),
        (replace(ANNA, channel="slack:T1:OTHER"), Refusal.CHANNEL),
    ],
)
async def test_who_may_not_gets_nothing_and_it_is_written_down(tmp_path, actor, refusal):
    async with a_team(tmp_path) as team:
        outcome = await team.desk.request(actor, wanted())

        assert (outcome.kind, outcome.refusal) == (OutcomeKind.DENIED, refusal)
        assert await team.runs.recent(5) == []
        (entry,) = await team.journalled()
        assert (entry["outcome"], entry["actor"], entry["source"]) == ("refused", actor.id, actor.source)


async def test_a_server_that_nobody_registered_is_said_to_be_unknown(tmp_path):
    async with a_team(tmp_path) as team:
        outcome = await team.desk.request(ANNA, wanted(server="nowhere"))

        assert outcome.kind is OutcomeKind.FAILED
        assert "nowhere" in outcome.detail


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({"remedy": a_remedy(relaunchable=False)}, "cannot carry out"),
        (
            {"remedy": a_remedy(kind=FixKind.UNSET_ENV, change=Change(env_unset=("LD_PRELOAD",)))},
            "LD_PRELOAD",
        ),
        ({"remedy": a_remedy(releases=">=0.12")}, "the host has 0.11.2"),
    ],
)
async def test_what_cannot_be_planned_fails_with_a_sentence_and_frees_the_server(tmp_path, values, what):
    async with a_team(tmp_path) as team:
        outcome = await team.desk.request(ANNA, wanted(**values))

        assert outcome.kind is OutcomeKind.FAILED
        assert what in outcome.detail
        assert outcome.next_step
        assert (await team.runs.get(outcome.relaunch.id)).state is State.PREFLIGHT_FAILED
        await planned(team)


@pytest.mark.parametrize("kind", ["unreachable", "lost-before"])
async def test_a_host_that_does_not_answer_while_planning_is_said(tmp_path, kind):
    async with a_team(tmp_path) as team:
        team.host.faults = [Fault("preflight", kind)]
        outcome = await team.desk.request(ANNA, wanted())

        assert outcome.kind is OutcomeKind.FAILED
        assert outcome.relaunch.state is State.PREFLIGHT_FAILED


async def test_a_server_that_serves_is_only_touched_when_forced(tmp_path):
    async with a_team(tmp_path) as team:
        team.host = FakeHost(team.now, behave=lambda env: Behaviour())

        outcome = await team.desk.request(ANNA, wanted())

        assert (outcome.kind, outcome.blocked.reason) == (OutcomeKind.BLOCKED, BlockReason.HEALTHY)
        assert "somebody who may force" in outcome.blocked.lifts_when
        forced = await planned(team, is_forced=True)
        assert forced.plan.was_serving


async def test_requests_that_are_refused_leave_the_one_that_is_needed_possible(tmp_path):
    async with a_team(tmp_path) as team:
        team.switches = replace(team.switches, per_person_an_hour=1)
        serving, broken = FakeHost(team.now, behave=lambda env: Behaviour()), team.host
        team.host = serving
        for _ in range(3):
            outcome = await team.desk.request(ANNA, wanted())
            assert outcome.blocked.reason is BlockReason.HEALTHY
        team.host = broken
        unsound = await team.desk.request(ANNA, wanted(remedy=a_remedy(releases=">=0.12")))
        assert unsound.relaunch.state is State.PREFLIGHT_FAILED

        assert (await planned(team)).plan is not None


async def test_a_second_request_joins_the_first_and_new_facts_void_it(tmp_path):
    async with a_team(tmp_path) as team:
        first = await planned(team)

        same = await team.desk.request(BEN, wanted())
        other = await team.desk.request(BEN, wanted(fingerprint="e" * 24))

        assert (same.kind, same.relaunch.id) == (OutcomeKind.JOINED, first.relaunch.id)
        assert other.kind is OutcomeKind.PLANNED
        assert (await team.runs.get(first.relaunch.id)).state is State.VOIDED
        late = await team.desk.approve(BEN, first.relaunch.id, first.plan.hash)
        assert late.kind is OutcomeKind.ALREADY


async def test_many_requests_at_once_are_one_run(tmp_path):
    async with a_team(tmp_path) as team, opened(tmp_path) as database:
        other = Team(database, team.host, team.now, keys=team.keys, number=1 << 64)
        desks = [team.desk, other.desk]

        outcomes = await asyncio.gather(*(desks[n % 2].request(ANNA, wanted()) for n in range(8)))

        assert len({outcome.relaunch.id for outcome in outcomes}) == 1
        assert [outcome.kind for outcome in outcomes].count(OutcomeKind.PLANNED) == 1
        assert len(await team.runs.recent(20)) == 1


class _Interrupted:
    """A part of which something else happens just before it does one thing."""

    def __init__(self, part, act, interrupt):
        self._part, self._act, self._interrupt = part, act, interrupt

    def __getattr__(self, name):
        if name != self._act:
            return getattr(self._part, name)

        async def interrupted(*arguments):
            await self._interrupt()
            return await getattr(self._part, name)(*arguments)

        return interrupted


async def test_a_request_joins_one_that_was_made_between_its_two_looks(tmp_path):
    async with a_team(tmp_path) as team:

        async def interrupt():
            await planned(team)

        team.permission = replace(team.permission, runs=_Interrupted(team.runs, "past", interrupt))
        outcome = await team.a_desk().request(ANNA, wanted())

        (kept,) = await team.runs.recent(5)
        assert (outcome.kind, outcome.relaunch.id) == (OutcomeKind.JOINED, kept.id)


async def test_a_request_that_is_called_off_while_the_host_is_asked_says_so(tmp_path):
    async with a_team(tmp_path) as team:

        async def call_off():
            (open_run,) = await team.runs.unfinished()
            await team.desk.cancel(BEN, open_run.id)

        team.host = _Interrupted(team.host, "preflight", call_off)
        outcome = await team.desk.request(ANNA, wanted())

        assert outcome.kind is OutcomeKind.ALREADY
        assert outcome.relaunch.state is State.VOIDED
        assert BEN.id in outcome.detail


async def test_new_facts_leave_alone_what_is_approved_at_that_moment(tmp_path):
    async with a_team(tmp_path) as team:
        first = await planned(team)

        async def approve():
            await team.desk.approve(BEN, first.relaunch.id, first.plan.hash)

        slow = replace(team.desk.requesting, runs=_Interrupted(team.runs, "move", approve))
        outcome = await replace(team.desk, requesting=slow).request(BEN, wanted(fingerprint="e" * 24))

        assert (outcome.kind, outcome.relaunch.id) == (OutcomeKind.ALREADY, first.relaunch.id)
        assert outcome.relaunch.state is State.APPROVED


async def test_an_approval_sets_the_run_off_once_however_often_it_is_clicked(tmp_path):
    async with a_team(tmp_path) as team:
        outcome = await planned(team)
        run_id, plan_hash = outcome.relaunch.id, outcome.plan.hash

        clicks = await asyncio.gather(*(team.desk.approve(BEN, run_id, plan_hash) for _ in range(10)))

        kinds = [click.kind for click in clicks]
        assert kinds.count(OutcomeKind.APPROVED) == 1
        assert kinds.count(OutcomeKind.ALREADY) == 9
        (letter,) = await team.outbox.waiting(10)
        assert (letter.relaunch_id, letter.kind) == (run_id, "start")
        assert [entry["act"] for entry in await team.journalled()] == ["request", "approve"]


@pytest.mark.parametrize(
    ("actor", "refusal"),
    [(ANNA, Refusal.OWN_REQUEST), (EVE, Refusal.NO_ROLE), (replace(BEN, is_bot=True), Refusal.BOT)],
)
async def test_who_may_not_approve_does_not(tmp_path, actor, refusal):
    async with a_team(tmp_path) as team:
        outcome = await planned(team)

        denied = await team.desk.approve(actor, outcome.relaunch.id, outcome.plan.hash)

        assert (denied.kind, denied.refusal) == (OutcomeKind.DENIED, refusal)
        assert await team.outbox.waiting(10) == []
        assert (await team.journalled())[-1]["outcome"] == "refused"


async def test_a_click_on_another_plan_approves_nothing(tmp_path):
    async with a_team(tmp_path) as team:
        outcome = await planned(team)

        denied = await team.desk.approve(BEN, outcome.relaunch.id, "0" * 64)

        assert denied.refusal is Refusal.OTHER_PLAN
        assert await team.outbox.waiting(10) == []


async def test_an_approval_that_comes_too_late_expires_the_plan(tmp_path):
    async with a_team(tmp_path) as team:
        outcome = await planned(team)
        await team.now.wait(1801)

        late = await team.desk.approve(BEN, outcome.relaunch.id, outcome.plan.hash)

        assert late.refusal is Refusal.EXPIRED
        assert (await team.runs.get(outcome.relaunch.id)).state is State.EXPIRED


async def test_two_approvals_are_counted_and_the_second_one_sets_it_off(tmp_path):
    async with a_team(tmp_path, registry=a_registry(approvals_needed=2)) as team:
        outcome = await planned(team)

        first = await team.desk.approve(BEN, outcome.relaunch.id, outcome.plan.hash)
        again = await team.desk.approve(BEN, outcome.relaunch.id, outcome.plan.hash)
        assert await team.outbox.waiting(10) == []
        second = await team.desk.approve(ROOT, outcome.relaunch.id, outcome.plan.hash)

        assert (first.kind, first.missing) == (OutcomeKind.COUNTED, 1)
        assert (again.kind, again.refusal) == (OutcomeKind.DENIED, Refusal.TWICE)
        assert second.kind is OutcomeKind.APPROVED
        shown = await team.desk.show(ANNA, outcome.relaunch.id)
        assert set(shown.approvers) == {BEN.id, ROOT.id}
        assert await team.run(outcome.relaunch.id) == State.COMMITTED


async def test_a_dry_run_plans_and_takes_no_approval(tmp_path):
    async with a_team(tmp_path, switches=Switches(is_enabled=True)) as team:
        looked_at = await team.desk.preview(ANNA, wanted())
        assert (looked_at.kind, looked_at.blocked.reason) == (OutcomeKind.PLANNED, BlockReason.DRY_RUN)
        outcome = await planned(team)

        blocked = await team.desk.approve(BEN, outcome.relaunch.id, outcome.plan.hash)

        assert (blocked.kind, blocked.blocked.reason) == (OutcomeKind.BLOCKED, BlockReason.DRY_RUN)
        assert await team.outbox.waiting(10) == []
        assert (await team.journalled())[-1]["outcome"] == "refused"


async def test_nothing_is_even_planned_while_relaunching_is_switched_off(tmp_path):
    async with a_team(tmp_path, switches=Switches()) as team:
        outcome = await team.desk.request(ANNA, wanted())

        assert outcome.blocked.reason is BlockReason.SWITCHED_OFF
        assert await team.runs.recent(5) == []


async def test_what_a_window_of_maintenance_blocks_runs_when_it_closes(tmp_path):
    window = Window(frozenset(DAYS), time(11, 0), time(12, 20), ZoneInfo("UTC"))
    async with a_team(tmp_path, registry=a_registry(maintenance=(window,))) as team:
        relaunch_id = await team.approved()

        assert await team.run(relaunch_id) == State.COMMITTED
        assert "blocked" in team.listener.states
        assert team.now() >= (await team.runs.get(relaunch_id)).asked_at + timedelta(minutes=20)


async def test_two_failures_of_one_problem_within_an_hour_are_not_followed_by_a_third(tmp_path):
    async with a_team(tmp_path) as team:
        team.host.behave = lambda env: Behaviour(models=())
        for _ in range(2):
            await team.now.wait(600)
            await team.run(await team.approved(is_forced=True))

        outcome = await team.desk.request(ANNA, wanted(is_forced=True))

        assert outcome.blocked.reason is BlockReason.REPEATED_FAILURE
        assert (await team.runs.recent(1))[0].fingerprint == OLD_FAILURE


async def test_a_plan_can_be_turned_down_and_then_not_approved(tmp_path):
    async with a_team(tmp_path) as team:
        outcome = await planned(team)

        rejected = await team.desk.reject(BEN, outcome.relaunch.id, outcome.plan.hash)
        late = await team.desk.approve(BEN, outcome.relaunch.id, outcome.plan.hash)
        again = await team.desk.reject(BEN, outcome.relaunch.id, outcome.plan.hash)

        assert (rejected.kind, rejected.relaunch.state) == (OutcomeKind.REJECTED, State.REJECTED)
        assert late.kind is again.kind is OutcomeKind.ALREADY
        assert "Rejected by slack:T1:BEN" in late.detail


async def test_a_request_can_be_taken_back_before_it_is_approved(tmp_path):
    async with a_team(tmp_path) as team:
        outcome = await planned(team)

        denied = await team.desk.cancel(EVE, outcome.relaunch.id)
        called_off = await team.desk.cancel(ANNA, outcome.relaunch.id)
        again = await team.desk.cancel(ANNA, outcome.relaunch.id)

        assert denied.refusal is Refusal.NO_ROLE
        assert called_off.relaunch.state is State.VOIDED
        assert again.kind is OutcomeKind.ALREADY


async def test_calling_off_a_run_twice_is_said_once(tmp_path):
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()

        first, second = [await team.desk.cancel(BEN, relaunch_id) for _ in range(2)]

        assert (first.kind, second.kind) == (OutcomeKind.CALLED_OFF, OutcomeKind.ALREADY)


async def test_only_who_may_see_a_server_sees_its_runs(tmp_path):
    async with a_team(tmp_path) as team:
        outcome = await planned(team)

        assert [run.id for run in await team.desk.list(ANNA)] == [outcome.relaunch.id]
        assert await team.desk.list(EVE) == ()
        assert await team.desk.show(EVE, outcome.relaunch.id) is None
        shown = await team.desk.show(ANNA, outcome.relaunch.id)
        assert shown.plan == outcome.plan
        assert [moment.state for moment in shown.timeline][-1] == "awaiting_approval"
        with pytest.raises(UnknownRelaunchError):
            await team.desk.show(ANNA, "no-such-run")


async def test_a_lost_run_is_unlocked_by_whoever_may_and_the_next_one_has_a_higher_fence(tmp_path):
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()
        assert await team.locks.take("gpu-1", relaunch_id) == 1

        denied = await team.desk.unlock(EVE, relaunch_id)
        done = await team.desk.unlock(ANNA, relaunch_id)

        assert denied.kind is OutcomeKind.DENIED
        assert done.relaunch.state is State.VOIDED
        assert await team.locks.holder("gpu-1") is None
        following = await team.approved()
        assert await team.run(following) == State.COMMITTED
        assert {effect.fence for effect in team.host.effects} == {2}


async def test_no_secret_of_the_host_reaches_the_store(tmp_path):
    async with a_team(tmp_path) as team:
        await team.run(await team.approved())

        assert "hf_secret" not in str(await team.runs.recent(5))
        assert "hf_secret" not in str(await team.journalled())


async def test_a_look_at_a_plan_keeps_nothing_but_stands_in_the_journal(tmp_path):
    async with a_team(tmp_path) as team:
        seen = await team.desk.preview(ANNA, wanted())
        denied = await team.desk.preview(EVE, wanted())
        team.switches = Switches()
        held = await team.desk.preview(ANNA, wanted())
        team.host.faults = [Fault("preflight", "unreachable")]
        away = await team.desk.preview(ANNA, wanted())

        assert (seen.kind, seen.relaunch) == (OutcomeKind.PLANNED, None)
        assert seen.plan.diff
        assert (denied.kind, denied.plan) == (OutcomeKind.DENIED, None)
        assert held.blocked.reason is BlockReason.SWITCHED_OFF
        assert (away.kind, away.is_unreachable) == (OutcomeKind.FAILED, True)
        assert await team.runs.recent(5) == []
        outcomes = [entry["outcome"] for entry in await team.journalled()]
        assert outcomes == ["allowed", "refused", "allowed", "allowed"]


def without(registry, *, host=False):
    """The registry without the server, or without its host."""
    hosts = () if host else tuple(replace(one, servers=()) for one in registry.hosts)
    return replace(registry, hosts=hosts)


@pytest.mark.parametrize("is_host_gone", [False, True])
async def test_a_run_whose_server_has_left_the_registry_is_seen_and_unlocked_at_a_terminal(
    tmp_path, is_host_gone
):
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()
        assert await team.locks.take("gpu-1", relaunch_id) is not None
        team.registry = without(team.registry, host=is_host_gone)

        assert [run.id for run in await team.desk.list(ROOT)] == [relaunch_id]
        assert await team.desk.show(ROOT, relaunch_id) is not None
        for person in (ANNA, EVE, replace(ROOT, id="os:stranger")):
            refused = await team.desk.unlock(person, relaunch_id)
            assert refused.kind is OutcomeKind.DENIED
            assert await team.desk.show(person, relaunch_id) is None
        assert (await team.desk.cancel(ROOT, relaunch_id)).kind is OutcomeKind.FAILED
        done = await team.desk.unlock(ROOT, relaunch_id)

        assert (done.kind, done.relaunch.state) == (OutcomeKind.CALLED_OFF, State.VOIDED)
        assert await team.locks.holder("gpu-1") is None
        told = [entry for entry in await team.journalled() if entry["act"] == "unlock"]
        assert [entry["outcome"] for entry in told] == ["refused"] * 3 + ["allowed"]


async def test_where_the_host_has_left_too_it_takes_a_grant_on_every_group(tmp_path):
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()
        policy = team.registry.policy
        grants = (*policy.grants, Grant("others", frozenset({Action.VIEW}), frozenset({"production"})))
        team.registry = replace(
            without(team.registry, host=True),
            policy=replace(
                policy, grants=grants, members={**policy.members, "others": frozenset({"os:ada"})}
            ),
        )

        assert (await team.desk.unlock(ROOT, relaunch_id)).refusal is Refusal.NO_ROLE
        team.registry = replace(team.registry, hosts=without(a_registry()).hosts)
        assert (await team.desk.unlock(ROOT, relaunch_id)).kind is OutcomeKind.CALLED_OFF


async def test_a_page_that_asks_over_and_over_fills_no_journal(tmp_path):
    async with a_team(tmp_path) as team:
        outcome = await planned(team)
        before = len(await team.journalled())
        for _ in range(30):
            assert await team.desk.show(EVE, outcome.relaunch.id) is None
        assert len(await team.journalled()) == before + 1

        await team.denied_views.flush()

        entry = (await team.journalled())[-1]
        assert (entry["act"], entry["actor"], entry["outcome"]) == ("view", EVE.id, "refused")
        assert "29 more times" in entry["detail"]
