"""A run from the last approval to its end: proven and kept, or back where it was; never called good by a lie."""

from dataclasses import replace
from datetime import timedelta

import pytest

from adapters.hosts.records import Check, Holder, Phase
from bot.relaunch.gating.wish import Switches
from bot.relaunch.interface import Pace
from bot.relaunch.planning.plan import Timeouts
from bot.relaunch.states import State
from bot.store.interface import StoreError
from bot.store.relaunches.interface import Move
from tests.bot.relaunch.team import ANNA, BEN, LINE, Memory, Now, a_registry, a_team, quick, wanted
from tests.fakes.host import BROKEN_ENV, HEALTHY, MODEL, SEED, Behaviour, FakeHost, Fault, behave, with_lie

GOOD = Behaviour()


def mended(host) -> bool:
    return "VLLM_ATTENTION_BACKEND" not in host.env


def verbs(host) -> list[str]:
    return [effect.verb for effect in host.effects]


async def test_a_fix_is_made_proven_and_kept(tmp_path):
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()

        assert await team.run(relaunch_id) == State.COMMITTED

        run = await team.runs.get(relaunch_id)
        assert (run.state, run.fence) == (State.COMMITTED, 1)
        assert verbs(team.host) == ["stop", "start", "commit"]
        assert mended(team.host)
        assert team.listener.states == [
            "approved",
            "locked",
            "stopping",
            "gpu_free",
            "launching",
            "starting",
            "healthy",
            "verifying",
            "committed",
        ]
        percents = [news.percent for news in team.listener.news if news.percent is not None]
        assert percents == sorted(percents)
        assert percents[-1] == 100
        assert await team.locks.holder("gpu-1") is None


async def test_every_act_stands_in_the_journal_before_and_after_it(tmp_path):
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()
        await team.run(relaunch_id)

        entries = await team.journalled()

    told = [(entry["stage"], entry["act"], entry["outcome"]) for entry in entries]
    assert told == [
        ("decision", "request", "allowed"),
        ("decision", "approve", "allowed"),
        ("intent", "stop", ""),
        ("result", "stop", "done"),
        ("intent", "start", ""),
        ("result", "start", "done"),
        ("result", "verify", "done"),
        ("intent", "commit", ""),
        ("result", "commit", "done"),
    ]
    assert {entry["relaunch"] for entry in entries[1:]} == {relaunch_id}
    assert len({entry["plan_hash"] for entry in entries[1:]}) == 1
    assert LINE in entries[6]["detail"]


LIES = {
    "health without a model": replace(GOOD, models=()),
    "another model": replace(GOOD, models=("somebody/else",)),
    "exclamation marks": replace(GOOD, text="!!!!!!!!"),
    "an error for every question": replace(GOOD, text_status=500),
    "the old environment": replace(GOOD, really=BROKEN_ENV),
    "an unreadable process": replace(GOOD, is_unreadable=True),
    "no promised line": replace(GOOD, log=(HEALTHY[0], HEALTHY[-1])),
    "the old failure in its log": replace(GOOD, log=(*HEALTHY[:-1], SEED, HEALTHY[-1])),
    "a restart while it is watched": replace(GOOD, restarts_after=5),
    "a death while it is watched": replace(GOOD, dies_after=4),
}


@pytest.mark.parametrize("lie", LIES)
async def test_a_vllm_that_lies_is_never_called_fixed(tmp_path, lie):
    async with a_team(tmp_path) as team:
        team.host.behave = with_lie(LIES[lie])
        relaunch_id = await team.approved()

        assert await team.run(relaunch_id) == State.ROLLED_BACK

        assert verbs(team.host) == ["stop", "start", "restore"]
        assert team.host.env == BROKEN_ENV
        assert not any("Fixed" in news.detail for news in team.listener.news)
        assert State.COMMITTED.value not in team.listener.states


class AfterTheProof:
    """Does something to the server once every check has passed."""

    def __init__(self, act) -> None:
        self.act = act

    async def hear(self, news) -> None:
        if news.detail == "All checks passed.":
            self.act()


def _restarted_by_its_host(host) -> None:
    # the same start and launch, and another process
    host.process.restarts += 1
    host.process.pid += 1


def _its_engine_dies(host) -> None:
    host.process.behaviour = replace(host.process.behaviour, health=503)


def _it_dies(host) -> None:
    host.process.is_dead = True


@pytest.mark.parametrize("what", [_restarted_by_its_host, _its_engine_dies, _it_dies])
async def test_what_happens_between_the_proof_and_the_keeping_undoes_the_proof(tmp_path, what):
    async with a_team(tmp_path) as team:
        quick(team, witness=AfterTheProof(lambda: what(team.host)))
        relaunch_id = await team.approved()

        assert await team.run(relaunch_id) == State.ROLLED_BACK

        assert verbs(team.host) == ["stop", "start", "restore"]
        assert "What was proven no longer" in (await team.runs.get(relaunch_id)).detail


async def test_a_server_that_came_up_at_the_second_try_of_its_host_is_not_proven(tmp_path):
    async with a_team(tmp_path) as team:
        team.host.behave = with_lie(replace(GOOD, restarts_after=1))
        relaunch_id = await team.approved()

        assert await team.run(relaunch_id) == State.ROLLED_BACK

        assert "it ended and was started again by its host" in (await team.runs.get(relaunch_id)).detail


async def test_a_server_that_is_gone_when_it_is_to_be_proven_is_not_waited_for(tmp_path):
    async with a_team(tmp_path) as team:
        team.host.behave = with_lie(replace(GOOD, dies_after=2))
        relaunch_id = await team.approved()

        assert await team.run(relaunch_id) == State.ROLLED_BACK

        assert Timeouts().soak not in team.now.waits


async def test_an_image_is_asked_about_where_the_change_concerns_images(tmp_path):
    async with a_team(tmp_path) as team:
        team.host.behave = with_lie(replace(GOOD, image_status=400))

        assert await team.run(await team.approved(is_vision=True)) == State.ROLLED_BACK
    async with a_team(tmp_path / "other") as team:
        team.host.behave = with_lie(replace(GOOD, image_status=400))

        assert await team.run(await team.approved(is_vision=False)) == State.COMMITTED


async def test_a_server_that_ends_again_is_rolled_back_and_its_log_is_quoted(tmp_path):
    async with a_team(tmp_path) as team:
        team.host.behave = lambda env: Behaviour(log=(SEED,), exit_code=1)
        relaunch_id = await team.approved()

        assert await team.run(relaunch_id) == State.ROLLED_BACK

        detail = (await team.runs.get(relaunch_id)).detail
        assert "ended with code 1" in detail
        assert "vision encoder refuses" in detail
        assert "did not serve before either" in detail


@pytest.mark.parametrize(
    ("usual", "said", "limit"), [(60, "did not answer within 10 minutes", 11), (3600, "no progress", 15)]
)
async def test_a_start_that_hangs_is_left_after_a_while_and_rolled_back(tmp_path, usual, said, limit):
    async with a_team(tmp_path, registry=a_registry(expected_start_seconds=usual)) as team:
        team.host.behave = with_lie(Behaviour(log=(HEALTHY[0],), hangs=True))
        relaunch_id = await team.approved()
        before = team.now()

        assert await team.run(relaunch_id) == State.ROLLED_BACK

        assert team.now() - before < timedelta(minutes=limit)
        assert said in (await team.runs.get(relaunch_id)).detail


async def test_a_server_that_served_before_must_serve_again_or_the_rollback_failed(tmp_path):
    def serves_once(env):
        return replace(GOOD, models=()) if "VLLM_ATTENTION_BACKEND" not in env else GOOD

    async with a_team(tmp_path) as team:
        team.host = FakeHost(team.now, behave=serves_once)
        assert await team.run(await team.approved(is_forced=True)) == State.ROLLED_BACK
    async with a_team(tmp_path / "other") as team:
        team.host = FakeHost(team.now, behave=serves_once)
        relaunch_id = await team.approved(is_forced=True)
        team.host.behave = with_lie(replace(GOOD, models=()))

        assert await team.run(relaunch_id) == State.ROLLBACK_FAILED

        assert "It served before, and does not now" in (await team.runs.get(relaunch_id)).detail
        assert await team.locks.holder("gpu-1") is None


async def test_a_crash_loop_of_a_supervisor_is_not_waited_for(tmp_path):
    async with a_team(tmp_path) as team:
        team.host.behave = with_lie(Behaviour(log=HEALTHY[:2], hangs=True))
        relaunch_id = await team.approved()

        async def restart(seconds):
            if team.host.process:
                team.host.process.restarts += 1

        team.now.on_wait = restart

        assert await team.run(relaunch_id) == State.ROLLED_BACK
        assert "again and again" in (await team.runs.get(relaunch_id)).detail


@pytest.mark.parametrize("verb", ["stop", "start", "commit", "restore"])
@pytest.mark.parametrize("kind", ["unreachable", "lost-before", "lost-after"])
async def test_an_answer_that_is_lost_is_asked_for_again_with_the_same_key_and_done_once(
    tmp_path, verb, kind
):
    async with a_team(tmp_path) as team:
        if verb == "restore":
            team.host.behave = with_lie(replace(GOOD, models=()))
        team.host.faults = [Fault(verb, kind, times=3)]
        relaunch_id = await team.approved()

        end = await team.run(relaunch_id)

        assert end == (State.ROLLED_BACK if verb == "restore" else State.COMMITTED)
        assert verbs(team.host).count(verb) == 1
        assert "host_unknown" in team.listener.states
        told = [news.detail for news in team.listener.news]
        assert any("does not answer" in detail for detail in told)
        assert "The host answers again." in told


@pytest.mark.parametrize("verb", ["status", "probe", "snapshot", "preflight"])
async def test_a_host_that_is_away_for_hours_keeps_its_lock_and_is_asked_until_it_is_back(tmp_path, verb):
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()
        times = 10 if verb in ("snapshot", "preflight") else 150
        team.host.faults = [Fault(verb, "unreachable", times=times)]
        holders = set()

        async def look(seconds):
            if (await team.runs.get(relaunch_id)).state is State.HOST_UNKNOWN:
                holders.add(await team.locks.holder("gpu-1"))

        team.now.on_wait = look

        end = await team.run(relaunch_id)

        assert holders == {relaunch_id}
        assert end in (State.COMMITTED, State.ROLLED_BACK)
        assert end == State.COMMITTED or verb in ("status", "probe")


async def test_the_host_that_went_back_by_itself_is_believed(tmp_path):
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()
        team.host.faults = [Fault("status", "unreachable", times=200)]

        assert await team.run(relaunch_id) == State.ROLLED_BACK

        assert "deadman" in verbs(team.host)
        assert team.host.phase is Phase.RESTORED
        assert "by itself" in (await team.runs.get(relaunch_id)).detail


async def test_a_host_that_is_busy_is_asked_again_and_one_that_stays_busy_is_not_waited_for(tmp_path):
    async with a_team(tmp_path) as team:
        team.host.faults = [Fault("stop", "busy", times=4)]
        assert await team.run(await team.approved()) == State.COMMITTED
    async with a_team(tmp_path / "other") as team:
        team.host.faults = [Fault("stop", "busy", times=10_000)]
        assert await team.run(await team.approved()) == State.ROLLED_BACK


@pytest.mark.parametrize(
    ("verb", "end", "acts"),
    [
        ("snapshot", State.VOIDED, []),
        ("preflight", State.VOIDED, []),
        ("stop", State.ROLLED_BACK, ["restore"]),
        ("start", State.ROLLED_BACK, ["stop", "restore"]),
        ("commit", State.ROLLED_BACK, ["stop", "start", "restore"]),
        ("restore", State.ROLLBACK_FAILED, ["stop", "start"]),
    ],
)
async def test_a_refusal_of_the_host_leads_out_or_back(tmp_path, verb, end, acts):
    async with a_team(tmp_path) as team:
        if verb == "restore":
            team.host.behave = with_lie(replace(GOOD, models=()))
        relaunch_id = await team.approved()
        team.host.faults = [Fault(verb, "unable", times=1)]

        assert await team.run(relaunch_id) == end

        assert verbs(team.host) == acts
        entries = [entry for entry in await team.journalled() if entry["act"] == verb]
        assert not acts or not entries or entries[-1]["outcome"] in ("refused", "done")


async def test_a_run_that_was_overtaken_is_fenced_and_touches_nothing(tmp_path):
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()
        memory = Memory()

        async def overtake(name, work):
            if name == "stop":
                team.host.fence = 99
            return await Memory.step(memory, name, work)

        memory.step = overtake

        assert await team.run(relaunch_id, memory) == State.ROLLBACK_FAILED
        assert verbs(team.host) == []


async def test_a_host_that_saw_higher_fences_from_another_store_is_topped(tmp_path):
    async with a_team(tmp_path) as team:
        team.host.fence = 41
        relaunch_id = await team.approved()

        assert await team.run(relaunch_id) == State.COMMITTED
        assert {effect.fence for effect in team.host.effects} == {42}


async def test_a_port_that_stays_held_is_looked_at_again_and_its_holder_is_named(tmp_path):
    holder = Holder(77, "jupyter", is_ours=False)
    async with a_team(tmp_path) as team:
        team.host.port_stays_held = 2
        assert await team.run(await team.approved()) == State.COMMITTED
        assert verbs(team.host) == ["stop", "stop", "stop", "start", "commit"]
    async with a_team(tmp_path / "other") as team:
        team.host.port_stays_held, team.host.foreign = 99, (holder,)
        relaunch_id = await team.approved()
        assert await team.run(relaunch_id) == State.ROLLED_BACK
        detail = (await team.runs.get(relaunch_id)).detail
        assert "jupyter (pid 77), which is not ours" in detail


CHANGES = {
    "the launch": (lambda host: host.env.update(X="1"), "changed after the plan"),
    "the checks": (
        lambda host: setattr(host, "unsound", (Check("gpu", is_sound=False, detail="A GPU is gone."),)),
        "A GPU is gone",
    ),
    "the server serves again": (
        lambda host: (
            setattr(host, "behave", lambda env: GOOD),
            setattr(host, "process", host._new_process(host.argv, host.env)),
            [host.process.look() for _ in range(9)],
        ),
        "serves again by itself",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
async def test_what_changed_since_the_plan_voids_it_before_anything_is_touched(tmp_path, change):
    act, why = CHANGES[change]
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()
        act(team.host)

        assert await team.run(relaunch_id) == State.VOIDED

        assert why in (await team.runs.get(relaunch_id)).detail
        assert verbs(team.host) == []
        assert await team.locks.holder("gpu-1") is None


async def test_an_approver_who_lost_the_role_no_longer_counts(tmp_path):
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()
        members = {"operators": frozenset({ANNA.id})}
        team.registry = replace(team.registry, policy=replace(team.registry.policy, members=members))

        assert await team.run(relaunch_id) == State.VOIDED
        assert "may no longer approve" in (await team.runs.get(relaunch_id)).detail


async def test_the_kill_switch_is_asked_right_before_the_act(tmp_path):
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()
        team.switches = Switches()

        assert await team.run(relaunch_id) == State.VOIDED
        assert verbs(team.host) == []


async def test_what_blocks_it_is_said_anew_when_something_else_does(tmp_path):
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()
        run = await team.runs.get(relaunch_id)
        await team.runs.add(replace(run, id="other", server="llama", plan=None))
        await team.locks.take("gpu-1", "other")
        said = []

        async def change(seconds):
            said.append((await team.runs.get(relaunch_id)).detail)
            if len(said) == 2:
                await team.runs.move(Move("other", State.LOCKED, team.now()))
                await team.runs.move(Move("other", State.VOIDED, team.now()))
                await team.runs.add(replace(run, id="third", server="phi", plan=None))
                await team.locks.take("gpu-1", "third")
            if len(said) == 4:
                await team.desk.cancel(BEN, relaunch_id)

        team.now.on_wait = change

        assert await team.run(relaunch_id) == State.VOIDED
        assert ["other" in one for one in said] == [True, True, False, False]
        assert "third" in said[3]


async def test_a_busy_host_blocks_until_it_is_free_and_a_plan_that_waited_too_long_expires(tmp_path):
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()
        other = await team.runs.get(relaunch_id)
        await team.runs.add(replace(other, id="other", server="llama", plan=None))
        assert await team.locks.take("gpu-1", "other") == 1

        async def free(seconds):
            if len(team.now.waits) == 3:
                await team.runs.move(Move("other", State.LOCKED, team.now()))
                await team.runs.move(Move("other", State.VOIDED, team.now()))

        team.now.on_wait = free
        assert await team.run(relaunch_id) == State.COMMITTED
        assert "blocked" in team.listener.states
        assert {effect.fence for effect in team.host.effects} == {2}
    async with a_team(tmp_path / "other") as team:
        relaunch_id = await team.approved()
        other = await team.runs.get(relaunch_id)
        await team.runs.add(replace(other, id="other", server="llama", plan=None))
        await team.locks.take("gpu-1", "other")
        quick(team, pace=Pace(lock=300))

        assert await team.run(relaunch_id) == State.EXPIRED
        assert verbs(team.host) == []


@pytest.mark.parametrize(
    "step", ["lock", "check", "stop", "free", "launch", "start", "healthy", "verify", "commit"]
)
async def test_a_run_that_is_called_off_ends_untouched_or_goes_back(tmp_path, step):
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()
        memory = Memory()

        async def call_off(name, work):
            if name == step:
                outcome = await team.desk.cancel(BEN, relaunch_id)
                assert outcome.kind == "called-off"
            return await Memory.step(memory, name, work)

        memory.step = call_off

        end = await team.run(relaunch_id, memory)

        if step in ("lock", "check", "stop"):
            assert end == State.VOIDED
            assert verbs(team.host) == []
        elif step == "commit":
            # proven already: what works is kept
            assert end == State.COMMITTED
        else:
            assert end == State.ROLLED_BACK
            assert team.host.env == BROKEN_ENV
        assert BEN.id in (await team.runs.get(relaunch_id)).detail or step == "commit"


async def test_a_server_that_logs_faster_than_it_is_read_can_be_called_off(tmp_path):
    flood = ("(EngineCore_DP0 pid=2) retrying\n" * 1200,) * 200
    async with a_team(tmp_path) as team:
        team.host.behave = with_lie(replace(GOOD, log=flood, hangs=True))
        relaunch_id = await team.approved()
        looks = []

        class CallsOff:
            async def hear(self, news):
                if news.state is State.STARTING:
                    looks.append(team.host.process.looks)
                    await team.desk.cancel(BEN, relaunch_id)
                if news.state is State.ROLLING_BACK:
                    looks.append(team.host.process.looks)

        quick(team, witness=CallsOff())

        assert await team.run(relaunch_id) == State.ROLLED_BACK

        assert looks[-1] < len(flood)


async def test_a_run_whose_host_was_unlocked_does_nothing_more(tmp_path):
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()
        team.host.faults = [Fault("start", "unreachable", times=10_000)]

        async def unlock(seconds):
            if len(team.now.waits) == 5:
                outcome = await team.desk.unlock(ANNA, relaunch_id)
                assert outcome.kind == "called-off"

        team.now.on_wait = unlock

        assert await team.run(relaunch_id) == State.ROLLBACK_FAILED
        assert verbs(team.host) == ["stop"]
        assert await team.locks.holder("gpu-1") is None


async def test_an_error_of_ours_goes_back_instead_of_leaving_the_server_down(tmp_path):
    class Broken:
        async def failure_in(self, log):
            raise ZeroDivisionError

    async with a_team(tmp_path) as team:
        quick(team, looker=Broken())
        relaunch_id = await team.approved()

        assert await team.run(relaunch_id) == State.ROLLED_BACK
        assert "ZeroDivisionError" in (await team.runs.get(relaunch_id)).detail


async def test_a_store_that_is_away_for_a_while_is_waited_for(tmp_path):
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()
        whole, away = team.runs.move, 12

        async def move(one, planned=None):
            nonlocal away
            if one.to is State.STARTING and away:
                away -= 1
                raise StoreError("here", "is away", "Wait.")
            return await whole(one, planned)

        team.runs.move = move

        assert await team.run(relaunch_id) == State.COMMITTED
        assert away == 0


async def test_a_host_that_left_the_registry_ends_the_run(tmp_path):
    async with a_team(tmp_path) as team:
        relaunch_id = await team.approved()
        team.registry = replace(team.registry, hosts=())

        assert await team.run(relaunch_id) == State.VOIDED


async def test_a_fix_that_comes_with_a_log_in_pieces_is_proven_all_the_same(tmp_path):
    noise = "".join(f"INFO line {number} of many\n" for number in range(6_000))
    async with a_team(tmp_path) as team:
        team.host.behave = with_lie(replace(GOOD, log=(HEALTHY[0], noise, *HEALTHY[1:])))

        assert await team.run(await team.approved()) == State.COMMITTED


def test_the_fake_starts_as_the_seed_does():
    host = FakeHost(Now())

    assert host.process is not None
    assert host.process.is_dead
    assert behave({}).models == (MODEL,)
    assert wanted().server == host.server
