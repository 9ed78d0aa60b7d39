"""kill -9 where Slack lets the bot read nothing: never two answers for all to see, and whoever asked has one."""

from contextlib import asynccontextmanager

import pytest

from adapters.chat.slack.options import Hearing
from adapters.chat.slack.setup.manifest import events_for, scopes_for
from tests.crash.killing import PATIENCE_S, REFUSED, a_process
from tests.fakes.faults import Fault
from tests.fakes.slack.records import SlackSettings
from tests.fakes.slack.stage import SlackStage
from tests.fakes.slack.workspace import Workspace

MENTIONS = Hearing(unasked=False)
AGAIN = "I was stopped while answering"


@asynccontextmanager
async def a_stage(folder):
    """A workspace that grants no more than the mode `mention` asks for."""

    async def start(addresses):
        return await a_process(addresses, folder, SLACK__MODE="mention")

    granted = SlackSettings(scopes=frozenset(scopes_for(MENTIONS)), events=frozenset(events_for(MENTIONS)))
    async with Workspace(granted) as workspace:
        stage = SlackStage(workspace, start)
        await stage.open()
        try:
            yield stage
        finally:
            workspace.faults.release()
            await stage.close()


async def _killed_at(stage, route, *, after_effect, text):
    """Ask, kill the bot at a request, start it again; returns the answers for all and the private ones."""
    gate = stage.workspace.faults.hold(route, after_effect=after_effect)
    await stage.mention(text)
    await gate.reached(PATIENCE_S)
    await stage.restart(kill=True)
    if after_effect:
        # before it, what the dead bot asked for never happens
        gate.open()
    before = len(stage.workspace.channel("general").ephemerals)
    await stage.watch.until(
        lambda: len(stage.workspace.channel("general").ephemerals) > before, "a private answer", PATIENCE_S
    )
    await stage.settled(PATIENCE_S)
    answers = stage.answers()
    public = [one for one in answers if one.buttons and not one.private_to]
    return public, [one for one in answers if one.private_to]


@pytest.mark.parametrize(("after_effect", "shown"), [(True, 1), (False, 0)])
async def test_an_answer_that_may_be_out_is_said_to_whoever_asked_alone(tmp_path, after_effect, shown):
    async with a_stage(tmp_path) as stage:
        public, private = await _killed_at(stage, "chat.postMessage", after_effect=after_effect, text=REFUSED)

    assert len(public) == shown
    (answer,) = private
    assert AGAIN in answer.text
    assert "VLLM_ATTENTION_BACKEND" in answer.text
    assert answer.private_to == "ann"


async def test_a_private_answer_that_may_be_out_says_so_when_it_is_said_again(tmp_path):
    async with a_stage(tmp_path) as stage:
        public, private = await _killed_at(stage, "chat.postEphemeral", after_effect=True, text="lunch?")

    assert public == []
    first, second = private
    assert AGAIN not in first.text
    assert AGAIN in second.text


async def test_an_answer_that_slack_put_off_is_still_for_all_to_see(tmp_path):
    async with a_stage(tmp_path) as stage:
        stage.workspace.faults.plan(Fault("chat.postMessage", times=7, status=429, retry_after_s=0))
        await stage.mention(REFUSED)
        await stage.next_answer(within_s=PATIENCE_S)
        await stage.settled(PATIENCE_S)
        cards = [one for one in stage.answers() if one.buttons]
        private = stage.workspace.channel("general").ephemerals

    assert len(cards) == 1
    assert private == []
