"""A host that refuses or is out of order ends a step; one that does not answer is asked until it does."""

from dataclasses import replace
from datetime import timedelta

import pytest

from adapters.hosts.errors import RefusalCode
from adapters.hosts.records import Phase
from bot.relaunch.outcomes import OutcomeKind
from bot.relaunch.states import TERMINAL, State
from tests.bot.relaunch.team import ANNA, Memory, a_team, wanted
from tests.fakes.host import Behaviour, Fault, with_lie

FOR_EVER = 1_000_000
#: what a host says for good, whatever it is asked again
DEFINITE = [code.value for code in RefusalCode] + ["broken"]
LOST = ["unreachable", "lost-before", "lost-after"]
#: what it is asked in the course of a run → how a run ends on which it says that from then on; None: all verbs
ENDS = {
    "snapshot": State.VOIDED,
    "preflight": State.VOIDED,
    "stop": State.ROLLED_BACK,
    "start": State.ROLLED_BACK,
    "probe": State.ROLLED_BACK,
    "commit": State.ROLLED_BACK,
    "status": State.ROLLBACK_FAILED,
    "restore": State.ROLLBACK_FAILED,
}
STEPS = {
    "lock": State.VOIDED,
    "check": State.VOIDED,
    "stop": State.ROLLBACK_FAILED,
    "free": State.ROLLBACK_FAILED,
    "launch": State.ROLLBACK_FAILED,
    "start": State.ROLLBACK_FAILED,
    "verify": State.ROLLBACK_FAILED,
    "commit": State.ROLLBACK_FAILED,
}


@pytest.mark.parametrize("verb", ["facts", "snapshot", "preflight"])
@pytest.mark.parametrize("kind", DEFINITE)
async def test_what_a_host_says_for_good_while_planning_ends_the_plan(tmp_path, kind, verb):
    async with a_team(tmp_path) as team:
        team.host.faults = [Fault(verb, kind, times=FOR_EVER)]

        outcome = await team.desk.request(ANNA, wanted())

        assert outcome.kind is OutcomeKind.FAILED
        assert outcome.relaunch.state is State.PREFLIGHT_FAILED
        assert outcome.is_unreachable == (kind == "broken")
        assert outcome.next_step


@pytest.mark.parametrize("verb", ENDS)
@pytest.mark.parametrize("kind", DEFINITE)
async def test_what_a_host_says_for_good_ends_the_step(tmp_path, kind, verb):
    async with a_team(tmp_path) as team:
        if verb == "restore":
            team.host.behave = with_lie(Behaviour(models=()))
        relaunch_id = await team.approved()
        team.host.faults = [Fault(verb, kind, times=FOR_EVER)]

        assert await team.run(relaunch_id) == ENDS[verb]
        run = await team.runs.get(relaunch_id)
        assert run.detail
        assert await team.locks.holder("gpu-1") is None
        assert team.now.moment - run.asked_at < timedelta(hours=1)
        if ENDS[verb] is State.VOIDED:
            assert team.host.effects == []


@pytest.mark.parametrize("step", STEPS)
async def test_a_host_that_falls_out_of_order_at_any_step_ends_the_run_and_says_what_to_do(tmp_path, step):
    async with a_team(tmp_path) as team:
        relaunch_id, memory = await team.approved(), Memory()

        async def break_it(name, work):
            if name == step:
                team.host.faults = [Fault("*", "broken", times=FOR_EVER)]
            return await Memory.step(memory, name, work)

        memory.step = break_it

        assert await team.run(relaunch_id, memory) == STEPS[step]
        detail = (await team.runs.get(relaunch_id)).detail
        assert "the helper is not there" in detail
        assert "Install it" in detail
        if STEPS[step] is State.ROLLBACK_FAILED:
            assert "A person has to look at gpu-1" in detail
            assert "goes back by itself" in detail or step == "restored"
        told = [
            entry
            for entry in await team.journalled()
            if entry["act"] in ("stop", "start", "commit", "restore")
        ]
        assert not told or told[-1]["stage"] == "result"


@pytest.mark.parametrize("verb", ["snapshot", "stop", "start", "status", "commit"])
async def test_a_host_that_is_mended_within_a_minute_was_never_out_of_order(tmp_path, verb):
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()
        team.host.faults = [Fault(verb, "broken", times=4)]

        assert await team.run(relaunch_id) == State.COMMITTED
        told = [moment.detail for moment in await team.runs.moments(relaunch_id)]
        assert "The host is out of order (the helper is not there). It is asked again." in told
        assert "The host answers again." in told


@pytest.mark.parametrize(
    ("verb", "kind"),
    [
        *((verb, kind) for verb in ("stop", "start", "commit", "restore") for kind in LOST),
        ("status", "unreachable"),
    ],
)
async def test_a_host_that_does_not_answer_is_asked_for_hours_ever_more_rarely(tmp_path, verb, kind):
    async with a_team(tmp_path) as team:
        if verb == "restore":
            team.host.behave = with_lie(Behaviour(models=()))
        relaunch_id = await team.approved()
        team.host.faults = [Fault(verb, kind, times=FOR_EVER)]
        begun, seen, waits = team.now.moment, set(), []

        async def look(seconds):
            row = await team.runs.get(relaunch_id)
            if row.state is State.HOST_UNKNOWN:
                seen.add(row.state)
                waits.append(seconds)
                assert await team.locks.holder("gpu-1") == relaunch_id
            if team.now.moment - begun > timedelta(hours=3):
                team.host.faults = []
                team.now.on_wait = None

        team.now.on_wait = look

        assert await team.run(relaunch_id) in TERMINAL
        assert seen == {State.HOST_UNKNOWN}
        assert waits[:6] == [2.0, 4.0, 8.0, 16.0, 32.0, 60.0]
        assert max(waits) == 60.0


async def test_another_reason_for_not_answering_is_said_too(tmp_path):
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()
        team.host.faults = [Fault("stop", "unreachable", times=3), Fault("stop", "broken", times=2)]

        assert await team.run(relaunch_id) == State.COMMITTED
        told = [moment.detail for moment in await team.runs.moments(relaunch_id)]
        said = [detail for detail in told if detail.endswith("It is asked again.")]
        assert said == [
            "The host does not answer (no connection). It is asked again.",
            "The host is out of order (the helper is not there). It is asked again.",
        ]


def die(host):
    host.process.is_dead = True


def start_again(host):
    host.process.start_id = "start-again"


@pytest.mark.parametrize(
    ("meanwhile", "end", "said"),
    [
        (lambda host: None, State.COMMITTED, "Fixed: every check passed, and the new launch is kept."),
        (start_again, State.COMMITTED, "The host has started it once more since."),
        (die, State.ROLLBACK_FAILED, "the host keeps the new launch, but since then its server has ended"),
    ],
)
@pytest.mark.parametrize("way", ["asked again", "begun again"])
async def test_a_launch_that_was_kept_without_our_hearing_of_it_ends_with_what_runs_now(
    tmp_path, way, meanwhile, end, said
):
    async with a_team(tmp_path) as team:
        relaunch_id, memory = await team.approved(), Memory()
        team.host.faults = [Fault("commit", "lost-after")]

        class DiedError(BaseException):
            """The bot."""

        async def happens(_):
            if team.host.phase is Phase.COMMITTED:
                team.now.on_wait = None
                meanwhile(team.host)
                if way == "begun again":
                    raise DiedError

        team.now.on_wait = happens
        if way == "begun again":
            with pytest.raises(DiedError):
                await team.run(relaunch_id, memory)

        assert await team.run(relaunch_id, memory) == end
        assert said in (await team.runs.get(relaunch_id)).detail
        assert [effect.verb for effect in team.host.effects] == ["stop", "start", "commit"]
        (result,) = [
            entry
            for entry in await team.journalled()
            if (entry["stage"], entry["act"]) == ("result", "commit")
        ]
        assert result["outcome"] == "done"


async def test_a_commit_that_never_arrived_is_made_up_for_or_refused_by_what_runs(tmp_path):
    for is_dead, end in ((False, State.COMMITTED), (True, State.ROLLED_BACK)):
        async with a_team(tmp_path / str(is_dead)) as team:
            relaunch_id = await team.approved()
            team.host.faults = [Fault("commit", "lost-before")]

            async def happens(_, team=team, is_dead=is_dead):
                if (await team.runs.recent(1))[0].state is State.HOST_UNKNOWN:
                    team.now.on_wait = None
                    if is_dead:
                        team.host.process = replace(team.host.process, is_dead=True)

            team.now.on_wait = happens

            assert await team.run(relaunch_id) == end
