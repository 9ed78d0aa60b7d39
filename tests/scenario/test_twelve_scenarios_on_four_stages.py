"""What people do and what they get, told once, on Slack in both modes, on Discord and on the console."""

import textwrap
from pathlib import Path

import pytest

import bot
from tests.fakes.stage import Upload

pytestmark = pytest.mark.asyncio(loop_scope="module")

SAMPLE = (Path(bot.__file__).parent / "web" / "samples" / "qwen3-vl-flashinfer.log").read_text()
REFUSED = "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."
HEALTHY = (
    "INFO 11-28 07:55:57 [api_server.py:1977] vLLM API server version 0.11.2\n"
    "INFO 11-28 07:57:12 [gpu_model_runner.py:3200] Model loading took 16.2 GiB and 41.2 seconds\n"
    "INFO 11-28 07:58:40 [api_server.py:2100] Starting vLLM API server 0 on http://0.0.0.0:8000\n"
    "INFO:     Application startup complete.\n"
)
#: what only the fix for this release says
FIX = "VLLM_ATTENTION_BACKEND"
PATIENCE_S = 30.0


@pytest.fixture(params=["slack-socket", "slack-http", "discord", "console"])
def stage_name(request):
    return request.param


async def _open(stages, stage_name):
    return await stages.get(stage_name), stages.new_room()


def _is_the_answer(answer):
    assert FIX in answer.text
    assert "FLASHINFER" in answer.text
    assert answer.pings == frozenset()


def _cards(stage, room):
    """The answers without the files that Slack shows beside them."""
    return [one for one in stage.answers(room) if one.buttons]


async def test_a_paste_gets_one_card_in_its_thread(stages, stage_name):
    stage, room = await _open(stages, stage_name)

    said = await stage.say(SAMPLE, channel=room)
    answer = await stage.next_answer(channel=room, within_s=PATIENCE_S)
    await stage.settled(PATIENCE_S)

    _is_the_answer(answer)
    assert (answer.thread, answer.private_to) == (said.id, None)
    assert len(_cards(stage, room)) == 1


async def test_a_paste_that_was_sent_in_two_messages_is_read_as_one(stages, stage_name):
    stage, room = await _open(stages, stage_name)

    await stage.say(HEALTHY, channel=room, person="bob")
    last = await stage.say(REFUSED, channel=room, person="bob")
    answer = await stage.next_answer(channel=room, within_s=PATIENCE_S)
    await stage.settled(PATIENCE_S)

    _is_the_answer(answer)
    assert answer.thread == last.id
    # the release stands in the first message alone
    assert "0.11.2" in answer.text
    assert len(_cards(stage, room)) == 1


async def test_a_log_of_a_healthy_server_after_a_failure_is_no_part_of_it(stages, stage_name):
    stage, room = await _open(stages, stage_name)

    await stage.say("the engine is gone:\n\nvllm.v1.engine.exceptions.EngineDeadError\n", channel=room)
    await stage.say(HEALTHY, channel=room)
    await stage.settled(PATIENCE_S)
    before = len(_cards(stage, room))
    await stage.say(HEALTHY, channel=room)
    await stage.settled(PATIENCE_S)

    assert before <= 1
    assert len(_cards(stage, room)) == before


# the console has one person
@pytest.mark.parametrize("stage_name", ["slack-socket", "discord"])
async def test_what_others_pasted_before_is_no_part_of_a_paste(stages, stage_name):
    stage, room = await _open(stages, stage_name)

    await stage.say(HEALTHY, channel=room, person="bob")
    await stage.say(REFUSED, channel=room, person="carol")
    answer = await stage.next_answer(channel=room, within_s=PATIENCE_S)
    await stage.settled(PATIENCE_S)

    assert "vLLM 0.11.2" not in answer.text.replace("\n", " ")


async def test_a_paste_that_was_wrapped_by_hand_gets_the_same_answer(stages, stage_name):
    stage, room = await _open(stages, stage_name)
    broken = (textwrap.wrap(line, 72, drop_whitespace=False) or [""] for line in SAMPLE.splitlines())
    wrapped = "\n".join(part for parts in broken for part in parts)

    await stage.say(wrapped, channel=room)

    _is_the_answer(await stage.next_answer(channel=room, within_s=PATIENCE_S))


async def test_a_file_alone_is_read(stages, stage_name):
    stage, room = await _open(stages, stage_name)

    said = await stage.say("", channel=room, files=[Upload("vllm.log", SAMPLE.encode())])
    answer = await stage.next_answer(channel=room, within_s=PATIENCE_S)

    _is_the_answer(answer)
    assert answer.thread == said.id


async def test_two_files_are_read_together(stages, stage_name):
    stage, room = await _open(stages, stage_name)
    lines = SAMPLE.splitlines(keepends=True)
    files = [
        Upload("start.log", "".join(lines[:30]).encode()),
        Upload("end.log", "".join(lines[30:]).encode()),
    ]

    await stage.say("", channel=room, files=files)
    answer = await stage.next_answer(channel=room, within_s=PATIENCE_S)
    await stage.settled(PATIENCE_S)

    _is_the_answer(answer)
    assert "0.11.2" in answer.text
    assert len(_cards(stage, room)) == 1


async def test_a_mention_is_answered(stages, stage_name):
    stage, room = await _open(stages, stage_name)

    await stage.mention(REFUSED, channel=room)
    answer = await stage.next_answer(channel=room, within_s=PATIENCE_S)
    await stage.settled(PATIENCE_S)

    _is_the_answer(answer)
    assert len(_cards(stage, room)) == 1


async def test_a_command_with_text_is_answered(stages, stage_name):
    stage, room = await _open(stages, stage_name)

    await stage.command(REFUSED, channel=room)
    answer = await stage.next_answer(channel=room, within_s=PATIENCE_S)
    await stage.settled(PATIENCE_S)

    _is_the_answer(answer)
    assert len(_cards(stage, room)) == 1


async def test_a_command_without_anything_opens_a_form_that_is_answered(stages, stage_name):
    stage, room = await _open(stages, stage_name)

    form = await stage.open_form(channel=room)
    await stage.submit_form(form, {"Log or traceback": REFUSED, "vLLM release": "0.11.2", "GPU": "H100"})
    answer = await stage.next_answer(channel=room, within_s=PATIENCE_S)
    await stage.settled(PATIENCE_S)

    _is_the_answer(answer)
    assert "0.11.2" in answer.text
    assert len(_cards(stage, room)) == 1


async def test_an_edit_that_brings_the_failure_is_answered(stages, stage_name):
    stage, room = await _open(stages, stage_name)

    said = await stage.say("it does not start, log follows", channel=room)
    await stage.settled(PATIENCE_S)
    before = stage.answers(room)
    await stage.edit(said, f"it does not start:\n{REFUSED}")
    answer = await stage.next_answer(channel=room, within_s=PATIENCE_S)

    assert before == []
    _is_the_answer(answer)
    assert answer.thread == said.id


async def test_what_is_delivered_twice_is_answered_once(stages, stage_name):
    stage, room = await _open(stages, stage_name)

    said = await stage.say(REFUSED, channel=room)
    await stage.next_answer(channel=room, within_s=PATIENCE_S)
    await stage.deliver_again(said)
    await stage.settled(PATIENCE_S)

    assert len(_cards(stage, room)) == 1


async def test_another_bot_is_not_answered(stages, stage_name):
    stage, room = await _open(stages, stage_name)

    await stage.bot_says(REFUSED, channel=room)
    await stage.settled(PATIENCE_S)

    assert stage.answers(room) == []


async def test_prose_is_not_answered(stages, stage_name):
    stage, room = await _open(stages, stage_name)

    await stage.say(
        "lunch at noon? vLLM runs fine since the upgrade to 0.11.2, no error so far", channel=room
    )
    await stage.settled(PATIENCE_S)

    assert stage.answers(room) == []


async def test_a_healthy_log_is_answered_on_request_alone(stages, stage_name):
    stage, room = await _open(stages, stage_name)

    await stage.say(HEALTHY, channel=room)
    await stage.settled(PATIENCE_S)
    unasked = stage.answers(room)
    await stage.mention(HEALTHY, channel=room)
    answer = await stage.next_answer(channel=room, within_s=PATIENCE_S)

    assert unasked == []
    assert FIX not in answer.text
