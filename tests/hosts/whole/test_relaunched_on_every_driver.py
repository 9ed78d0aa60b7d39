"""The whole bot, a process of its own, relaunches a server on every driver: proven, taken back, or left to the host.

From the paste on the page to the last word on its card; the host is asked on its own what really runs there.
"""

import pytest

from tests.hosts.helper.gpu_host import BACKEND
from tests.scenario.test_twelve_scenarios_on_four_stages import SAMPLE

LINE = "Using FLASH_ATTN backend."
HONEST_WITH = f"--standin-honest-with={BACKEND}"


def backends(served):
    """The backend that each start found in its environment, oldest first."""
    return [start.get(BACKEND) for start in served.starts()]


async def test_a_server_that_died_is_mended_proven_and_kept(served, a_bot):
    served.owner_starts("FLASHINFER")
    log = served.ended()["log"]["text"] or SAMPLE
    bot = await a_bot()
    answer = await bot.pasted(log)
    await bot.stage.press(answer, "Relaunch…")
    plan = await bot.shows("waits for approval")
    assert f"- {BACKEND}=FLASHINFER" in plan.text
    await bot.stage.press(plan, "Approve")

    done = await bot.shows("is fixed and verified")

    assert LINE in done.text
    assert "a real completion makes sense: it answers: Paris" in done.text
    status = served.serving(None)
    assert status["phase"] == "committed"
    assert status["restores_in_seconds"] is None
    assert backends(served)[-1] is None
    assert backends(served).count(None) == 1
    entries = await bot.journalled(await bot.run_id())
    told = [(entry["stage"], entry["act"]) for entry in entries]
    for act in ("stop", "start", "commit"):
        assert told.count(("intent", act)) == told.count(("result", act)) == 1, told
    assert LINE in next(entry["detail"] for entry in entries if entry["act"] == "verify")
    assert "s3cret" not in str(entries)


async def test_a_change_that_proves_nothing_is_taken_back_and_the_earlier_launch_serves_again(served, a_bot):
    # the start before it printed the line, on the same host and under the same name
    served.owner_starts("FLASH_ATTN", "--standin-faults=no-backend-line", HONEST_WITH)
    before = served.serving("FLASH_ATTN")
    bot = await a_bot()
    run_id = await bot.forced(SAMPLE)

    done = await bot.shows("runs with its earlier launch again")

    reason = f"the log of this start does not say: {LINE}"
    assert reason in done.text
    status = served.serving("FLASH_ATTN")
    assert status["running_spec_hash"] == before["running_spec_hash"]
    assert status["pid"] != before["pid"]
    assert backends(served) == ["FLASH_ATTN", None, "FLASH_ATTN"]
    entries = await bot.journalled(run_id)
    assert reason in next(entry["detail"] for entry in entries if entry["act"] == "verify")
    assert "commit" not in {entry["act"] for entry in entries}
    assert "committed" not in [state for state, _ in await bot.states(run_id)]


async def test_a_bot_that_dies_before_it_kept_the_new_launch_leaves_the_host_to_go_back(served, a_bot):
    served.owner_starts("FLASH_ATTN")
    before = served.serving("FLASH_ATTN")
    bot = await a_bot(soak_s=3600)
    run_id = await bot.forced(SAMPLE)
    await bot.until_it_was(run_id, "verifying")
    assert served.serving(None)["restores_in_seconds"] > 0
    await bot.kill()

    served.let_time_be_over()

    served.until("the host has gone back", lambda one: one["phase"] == "restored")
    status = served.serving("FLASH_ATTN")
    assert status["running_spec_hash"] == before["running_spec_hash"]
    assert backends(served) == ["FLASH_ATTN", None, "FLASH_ATTN"]
    await bot.stage.restart()
    await bot.shows("runs with its earlier launch again")
    assert backends(served) == ["FLASH_ATTN", None, "FLASH_ATTN"]
    assert served.serving("FLASH_ATTN")["pid"] == status["pid"]


async def test_a_bot_that_dies_while_the_server_is_stopped_leaves_the_host_to_start_it_again(served, a_bot):
    served.owner_starts("FLASH_ATTN", "--standin-faults=ignores-term")
    before = served.serving("FLASH_ATTN")
    bot = await a_bot()
    await bot.until_it_was(await bot.forced(SAMPLE), "stopping")
    served.until("it is being stopped", lambda one: one["phase"] == "stopping")
    await bot.kill()
    served.until("nothing runs", lambda one: one["state"] != "running")
    served.until("the stop is over", lambda one: one["phase"] == "stopped")

    served.let_time_be_over()

    served.until("the host has gone back", lambda one: one["phase"] == "restored")
    status = served.serving("FLASH_ATTN")
    assert status["running_spec_hash"] == before["running_spec_hash"]
    assert backends(served) == ["FLASH_ATTN", "FLASH_ATTN"]


@pytest.mark.root
@pytest.mark.parametrize("served", ["systemd over ssh"], indirect=True)
async def test_a_host_that_is_cut_off_is_asked_until_it_answers_and_the_run_goes_on(served, a_bot):
    served.owner_starts("FLASH_ATTN", "--standin-delay=1")
    served.serving("FLASH_ATTN")
    bot = await a_bot()
    run_id = await bot.forced(SAMPLE)
    await bot.until_it_was(run_id, "starting")
    served.cut()
    await bot.until_it_was(run_id, "host_unknown")
    card = await bot.shows("does not answer")
    assert "It is asked again." in card.text

    served.join()

    await bot.shows("is fixed and verified")
    assert served.serving(None)["phase"] == "committed"
    assert backends(served) == ["FLASH_ATTN", None]
    told = [(entry["stage"], entry["act"]) for entry in await bot.journalled(run_id)]
    assert told.count(("intent", "start")) == told.count(("result", "start")) == 1
