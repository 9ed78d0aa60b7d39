"""A real vLLM on the CPU is relaunched from the console: verified by a real completion, or back as it was."""

import os
import signal
from contextlib import AsyncExitStack

import pytest

from adapters.chat.interface import Person
from adapters.hosts.helper.processes import proc
from bot.bootstrap import Stage
from bot.settings import RelaunchSettings
from tests.hosts.helper.gpu_host import GpuHost, until
from tests.live.running import environment
from tests.scenario.console_stage import ConsoleStage
from tests.scenario.hosted_team import ROOM, Team
from tests.scenario.real_bot import RealBot, settings_for

pytestmark = pytest.mark.vllm
#: a start takes a minute on a quiet machine and several on a busy one
PATIENCE_S = 900.0


@pytest.fixture
async def team(venv, model, tmp_path):
    (tmp_path / "host").mkdir()
    host = GpuHost(tmp_path / "host")
    words = ["serve", str(model), "--enforce-eager", "--host", "127.0.0.1", "--port", str(host.port)]
    host.real = [str(venv / "bin" / "vllm"), *words]
    host.env = environment(venv)
    async with AsyncExitStack() as stack:
        stack.callback(host.clean)

        async def start(addresses):
            chosen = RelaunchSettings(registry=tmp_path / "hosts.yaml", dry_run=False, soak_seconds=5)
            settings = settings_for(addresses, tmp_path, channels=(ROOM,))
            settings = settings.model_copy(update={"relaunch": chosen})
            return await RealBot.start(settings, Stage(Person("os:ann", "ann")))

        stage = ConsoleStage(start)
        await stage.open()
        stack.push_async_callback(stage.close)
        found = Team(stage, host, tmp_path)
        found.write_registry(
            "os:ann",
            "os:ann",
            f"console:{ROOM}",
            requester_may_approve=True,
            model=str(model),
            vllm_version="0.32.0",
            gpu_name=None,
            expected_start_seconds=300,
        )
        yield found


async def _dies_and_is_pasted(team, *flags):
    """Start the server with flags that end it, and paste its own log."""
    host = team.host
    host.list_server(
        argv=[*host.real, *flags], env=host.env, flags_allowed={"--attention-backend": "drop-only"}
    )
    host.start()
    log = until("it dies", lambda: _log_of_the_dead(host), PATIENCE_S)
    await team.stage.say(log, channel=ROOM)
    return await team.stage.next_answer(channel=ROOM, within_s=PATIENCE_S)


def _log_of_the_dead(host):
    status = host.status()
    return status["state"] == "exited" and status["log"]["text"]


async def _approve(team, answer):
    await team.stage.press(answer, "Relaunch…")
    plan = await team.shows("waits for approval", PATIENCE_S)
    assert "- --attention-backend XFORMERS" in plan.text
    await team.stage.press(plan, "Approve")


async def test_a_real_failure_is_mended_and_proven_by_a_real_completion(team):
    answer = await _dies_and_is_pasted(team, "--attention-backend", "XFORMERS")
    await _approve(team, answer)

    done = await team.shows("is fixed and verified", PATIENCE_S)

    assert "a real completion makes sense" in done.text
    assert team.host.status()["phase"] == "committed"
    assert "--attention-backend" not in team.host.status()["running"]["argv"]


async def test_a_change_that_does_not_help_is_taken_back(team):
    answer = await _dies_and_is_pasted(team, "--attention-backend", "XFORMERS", "--block-size", "17")
    await _approve(team, answer)

    await team.shows("runs with its earlier launch again", PATIENCE_S)

    assert "XFORMERS" in str(team.host.ask("snapshot", server=team.host.name)["launch"]["argv"])


async def test_an_engine_that_is_killed_while_it_is_proven_is_noticed(team):
    answer = await _dies_and_is_pasted(team, "--attention-backend", "XFORMERS")
    await _approve(team, answer)
    await team.shows("being verified", PATIENCE_S)
    until("its engine is killed", lambda: _kill_engine(team.host))

    await team.shows("runs with its earlier launch again", PATIENCE_S)

    assert not [answer for answer in team.stage.answers(ROOM) if "is fixed and verified" in answer.text]


def _kill_engine(host):
    """Kill the engine processes in the session of the server."""
    leader = proc.read(host.status()["pid"])
    engines = [one for one in proc.everyone() if proc.name(one.pid).startswith("VLLM::EngineCor")]
    ours = [one.pid for one in engines if leader is not None and one.sid == leader.sid]
    for pid in ours:
        os.kill(pid, signal.SIGKILL)
    return ours
