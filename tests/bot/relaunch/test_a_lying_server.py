"""A server that lies is never called fixed: whatever the lie, the earlier launch returns and the lie is named.

The real helper, real processes and the real engine; the stand-in lies only once the variable is gone.
"""

import asyncio
import os
import signal

import pytest

from bot.relaunch.chat.words import run_card
from bot.relaunch.outcomes import Shown
from bot.relaunch.planning.kept_plan import plan_from_json
from bot.relaunch.states import State
from rules.engine.report import Change
from tests.bot.relaunch.team import a_remedy, quick
from tests.bot.relaunch.test_on_a_real_helper import RealTime, a_broken_server, looker
from tests.hosts.helper.gpu_host import BACKEND, until

__all__ = ["looker"]
HONEST_WITH = f"--standin-honest-with={BACKEND}"
SOAK_S = 30.0
#: the check that sees a lie, and words of what is said of it
LIES = {
    "no-backend-line": ("log-line", "does not say: Using FLASH_ATTN backend."),
    "wrong-backend-line": ("log-line", "does not say: Using FLASH_ATTN backend."),
    "quoted-backend-line": ("log-line", "does not say: Using FLASH_ATTN backend."),
    "flood": ("not-the-old-failure", "parts of the log of this start are missing"),
    "old-failure": ("not-the-old-failure", "the same failure again"),
    "dead-engine-line": ("not-the-old-failure", "the engine died"),
    "unknown-variable": ("no-unknown-variable", f"Unknown vLLM environment variable detected: {BACKEND}"),
    "other-environment": ("process", "another command or environment than planned"),
    "child-serves": ("process", "another command or environment than planned"),
    "endless-health": ("health", "longer than 64 KiB"),
    "wrong-model": ("models", "/v1/models lists another/model"),
    "two-models": ("text", "the answer is of another/model"),
    "nameless-completion": ("text", "the answer is of no model"),
    "engine-dead": ("text", "answers 500"),
    "empty-completion": ("text", "the answer is empty"),
    "repeated-token": ("text", "one character again and again"),
    "sane-then-noise": ("text", "ends in one piece again and again"),
    "echo": ("text", "the question once more"),
    "aborted": ("text", "the answer was cut short: abort"),
    "error-beside": ("text", "the answer is no completion"),
    "wrong-types": ("text", "the answer is empty"),
    "not-a-number": ("text", "the answer is no completion"),
    "page-for-completion": ("text", "not JSON"),
    "redirected-completion": ("text", "answers 307"),
    "cut-completion": ("text", "the answer breaks off"),
    "endless-completion": ("text", "longer than 64 KiB"),
    "no-vision": ("image", "answers 500"),
}


class Watched:
    """Hears of a run, and acts once at a word."""

    def __init__(self, word, act):
        self.word, self.act = word, act

    async def hear(self, news):
        if news.detail == self.word:
            await asyncio.to_thread(self.act)


async def _findings(team, relaunch_id):
    moments = await team.runs.moments(relaunch_id)
    return next(moment.facts["findings"] for moment in moments if "findings" in moment.facts)


async def _is_told_everywhere(team, relaunch_id, words):
    """The card and the journal quote it, and neither calls anything fixed."""
    run = await team.runs.get(relaunch_id)
    moments = tuple(await team.runs.moments(relaunch_id))
    card = str(run_card(Shown(run, plan_from_json(run.plan), moments, ()), None, "en"))
    entries = [entry for entry in await team.journalled() if entry["relaunch"] == relaunch_id]
    assert words in card
    assert words in str([entry["detail"] for entry in entries])
    assert "fixed and verified" not in card
    assert "commit" not in {entry["act"] for entry in entries}
    assert State.COMMITTED not in {moment.state for moment in moments}


def _kill(gpu, what):
    if what == "the server":
        os.kill(gpu.status()["pid"], signal.SIGKILL)
        gpu.ended()
    else:
        (engine,) = gpu.engines()
        os.kill(engine, signal.SIGKILL)
        until("it is sick", lambda: gpu.probe("health")["status"] == 503)


def _is_back(gpu):
    assert gpu.snapshot_env()[BACKEND] == "FLASHINFER"
    assert gpu.starts()[-1]["env"][BACKEND] == "FLASHINFER"


@pytest.mark.parametrize("lie", LIES)
async def test_a_lie_is_seen_named_and_answered_with_the_earlier_launch(tmp_path, looker, lie):
    check, words = LIES[lie]
    is_about_setting = lie == "unknown-variable"
    flags = [f"--standin-faults={lie}", *([] if is_about_setting else [HONEST_WITH])]
    change = Change(env_set={BACKEND: "FLASH_ATTN"}) if is_about_setting else a_remedy().change
    async with a_broken_server(tmp_path, looker, *flags) as (gpu, team, fingerprint):
        relaunch_id = await team.approved(
            fingerprint=fingerprint, is_vision=True, remedy=a_remedy(change=change)
        )

        assert await team.run(relaunch_id) == State.ROLLED_BACK

        seen = {
            name: told for name, outcome, told in await _findings(team, relaunch_id) if outcome != "passed"
        }
        assert words in seen[check], seen
        await _is_told_everywhere(team, relaunch_id, words)
        _is_back(gpu)


@pytest.mark.parametrize("what", ["the server", "the engine"])
async def test_what_dies_while_it_is_soaked_is_not_fixed(tmp_path, looker, what):
    class Soaking(RealTime):
        async def wait(self, seconds):
            await (asyncio.to_thread(_kill, gpu, what) if seconds == SOAK_S else super().wait(seconds))

    flags = ["--standin-engine-death=600", HONEST_WITH]
    async with a_broken_server(tmp_path, looker, *flags) as (gpu, team, fingerprint):
        quick(team, pause=Soaking().wait)
        relaunch_id = await team.approved(fingerprint=fingerprint, is_vision=True)

        assert await team.run(relaunch_id) == State.ROLLED_BACK

        words = "after the wait the process is exited" if what == "the server" else "health answers 503"
        await _is_told_everywhere(team, relaunch_id, words)
        _is_back(gpu)


@pytest.mark.parametrize("what", ["the server", "the engine"])
async def test_what_dies_right_after_it_was_proven_is_not_fixed(tmp_path, looker, what):
    flags = ["--standin-engine-death=600", HONEST_WITH]
    async with a_broken_server(tmp_path, looker, *flags) as (gpu, team, fingerprint):
        quick(team, witness=Watched("All checks passed.", lambda: _kill(gpu, what)))
        relaunch_id = await team.approved(fingerprint=fingerprint, is_vision=True)

        assert await team.run(relaunch_id) == State.ROLLED_BACK

        await _is_told_everywhere(team, relaunch_id, "What was proven no longer")
        _is_back(gpu)
