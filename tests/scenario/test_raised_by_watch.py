"""A failure that `watch` saw in a log stands in a channel as if it had been pasted, once, on every platform."""

from contextlib import asynccontextmanager

import pytest

from bot.wiring.raising import Incident, raising_in
from rules.engine.paste.facts import Given
from tests.fakes.faults import Fault
from tests.fakes.stage import Seen
from tests.scenario.test_twelve_scenarios_on_four_stages import FIX, HEALTHY, PATIENCE_S, SAMPLE

pytestmark = pytest.mark.asyncio(loop_scope="module")

SOURCE = "gpu-7: /var/log/vllm.log"
VERDICT = "Qwen3-VL's vision encoder refuses FLASHINFER"


@pytest.fixture(params=["slack-socket", "slack-http", "discord", "console"])
def stage_name(request):
    return request.param


class Watched:
    """A channel of a stage, and what `watch` raises there."""

    def __init__(self, stage, room):
        self.stage = stage
        self.room = room
        self.platform = stage.name.partition("-")[0]

    @property
    def channel(self):
        if self.platform == "console":
            return f"console:{self.room}"
        places = self.stage.workspace if self.platform == "slack" else self.stage.world
        return f"{self.platform}:{places.channel(self.room).id}"

    @asynccontextmanager
    async def raiser(self, given=None):
        bot = self.stage.bot.bot
        async with raising_in(self.channel, bot.settings, given or Given()) as raiser:
            yield raiser

    async def raises(self, text, event_id="1", given=None):
        async with self.raiser(given) as raiser:
            return await raiser.raise_incident(Incident(f"{self.room}-{event_id}", SOURCE, text))

    async def answer(self):
        found = self.stage.answers(self.room)
        while not any(FIX in one.text for one in found):
            await self.stage.next_answer(len(found), channel=self.room, within_s=PATIENCE_S)
            found = self.stage.answers(self.room)
        return next(one for one in found if FIX in one.text)

    def heads(self):
        """The messages that head a thread."""
        if self.platform == "console":
            said = [
                one.payload for one in self.stage._events if (one.channel, one.kind) == (self.room, "message")
            ]
            return [Seen(one["id"], self.room, one["author"]["name"], one["text"]) for one in said]
        return [one for one in self.stage.answers(self.room) if SOURCE in one.text]


async def watched_on(stages, stage_name):
    return Watched(await stages.get(stage_name), stages.new_room())


async def test_a_failure_in_a_log_gets_a_message_and_its_card_in_the_thread(stages, stage_name):
    watched = await watched_on(stages, stage_name)

    assert await watched.raises(SAMPLE)
    answer = await watched.answer()

    (head,) = watched.heads()
    assert VERDICT in head.text
    assert answer.thread == head.id
    assert (answer.private_to, answer.pings | head.pings) == (None, frozenset())
    assert answer.buttons


async def test_a_failure_that_was_raised_before_is_not_raised_again(stages, stage_name):
    watched = await watched_on(stages, stage_name)

    assert await watched.raises(SAMPLE)
    await watched.answer()
    assert not await watched.raises(SAMPLE)
    assert await watched.raises(HEALTHY, event_id="2")
    await watched.stage.settled(PATIENCE_S)

    assert len(watched.heads()) == 1


async def test_who_answers_in_its_thread_is_answered_there(stages, stage_name):
    watched = await watched_on(stages, stage_name)
    stage = watched.stage

    await watched.raises(SAMPLE)
    answer = await watched.answer()
    (head,) = watched.heads()
    before = len(stage.answers(watched.room))
    await stage.mention("is this still the case?", channel=watched.room, thread=head)
    again = await stage.next_answer(before, channel=watched.room, within_s=PATIENCE_S)

    assert FIX in again.text
    assert again.id != answer.id


POSTING = {"slack": "chat.postMessage", "discord": "POST /channels/{channel_id}/messages"}


@pytest.mark.parametrize("stage_name", ["slack-socket", "discord"])
async def test_a_message_that_is_out_though_the_platform_did_not_say_so_is_there_once(stages, stage_name):
    watched = await watched_on(stages, stage_name)
    ground = watched.stage.workspace if watched.platform == "slack" else watched.stage.world

    ground.faults.plan(Fault(POSTING[watched.platform], status=500, after_effect=True))
    await watched.raises(SAMPLE)
    answer = await watched.answer()
    await watched.stage.settled(PATIENCE_S)

    (head,) = watched.heads()
    assert answer.thread == head.id
    assert len([one for one in watched.stage.answers(watched.room) if one.buttons]) == 1


async def test_a_channel_that_does_not_exist_is_given_up_and_holds_up_no_other(stages, stage_name):
    watched = await watched_on(stages, stage_name)
    nowhere = {"slack": "slack:C0NOWHERE", "discord": "discord:123", "console": watched.channel}[
        watched.platform
    ]

    async with raising_in(nowhere, watched.stage.bot.bot.settings, Given()) as raiser:
        await raiser.raise_incident(Incident(f"{watched.room}-lost", SOURCE, SAMPLE))
    await watched.raises(SAMPLE, event_id="2")

    assert (await watched.answer()).thread in {one.id for one in watched.heads()}
    await watched.stage.settled(PATIENCE_S)


async def test_what_the_watch_was_told_of_the_machine_decides_the_answer(stages, stage_name):
    watched = await watched_on(stages, stage_name)
    line = "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."

    await watched.raises(line, given=Given(vllm_version="0.11.2", gpu="T4"))
    answer = await watched.answer()

    assert "0.11.2" in answer.text
    assert "7.5" in answer.text
