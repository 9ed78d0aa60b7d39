"""Questions in words, told once, on Slack in both modes, on Discord and on the console."""

import pytest

pytestmark = pytest.mark.asyncio(loop_scope="module")

REFUSED = "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."
PATIENCE_S = 60.0


@pytest.fixture(params=["slack-socket", "slack-http", "discord", "console"])
def stage_name(request):
    return request.param


async def _open(stages, stage_name):
    return await stages.get(stage_name), stages.new_room()


def _is_the_matrix(answer):
    assert "FLASH_ATTN" in answer.text
    assert "0.12.0" in answer.text
    assert "NVIDIA H100" in answer.text
    assert answer.pings == frozenset()
    assert answer.buttons == ()


async def test_a_command_in_words_is_answered_in_private_and_once(stages, stage_name):
    stage, room = await _open(stages, stage_name)

    await stage.command("backends Qwen3-VL 0.12.0 H100", channel=room)
    answer = await stage.next_answer(channel=room, within_s=PATIENCE_S)
    await stage.settled(PATIENCE_S)

    _is_the_matrix(answer)
    assert answer.private_to == "ann"
    assert len([one for one in stage.answers(room) if not one.files]) <= 1


async def test_the_same_words_work_after_a_mention(stages, stage_name):
    stage, room = await _open(stages, stage_name)

    await stage.mention("backends H100 Qwen3-VL 0.12.0", channel=room)

    _is_the_matrix(await stage.next_answer(channel=room, within_s=PATIENCE_S))


async def test_a_launch_is_checked_and_its_secret_is_not_repeated(stages, stage_name):
    stage, room = await _open(stages, stage_name)
    secret = "hf_" + "aB3dE5" * 6

    await stage.mention(f"check HF_TOKEN={secret} vllm serve Qwen/Qwen3-8B --no-such-flag 1", channel=room)
    answer = await stage.next_answer(channel=room, within_s=PATIENCE_S)
    await stage.settled(PATIENCE_S)

    assert "--no-such-flag" in answer.text
    shown = [one.text + "".join(file.content.decode() for file in one.files) for one in stage.answers(room)]
    assert secret not in "".join(shown)


async def test_help_says_what_can_be_asked(stages, stage_name):
    stage, room = await _open(stages, stage_name)

    await stage.command("help", channel=room)
    answer = await stage.next_answer(channel=room, within_s=PATIENCE_S)

    assert "/vllm-diagnose backends Qwen3-VL 0.12.0 H100" in answer.text
    assert answer.private_to == "ann"


async def test_a_paste_that_begins_with_the_words_is_diagnosed(stages, stage_name):
    stage, room = await _open(stages, stage_name)

    await stage.mention(f"check vllm serve Qwen/Qwen3-VL-8B-Instruct\n{REFUSED}", channel=room)
    answer = await stage.next_answer(channel=room, within_s=PATIENCE_S)

    assert "VLLM_ATTENTION_BACKEND" in answer.text
    assert answer.buttons


async def test_the_words_said_to_nobody_are_not_answered(stages, stage_name):
    stage, room = await _open(stages, stage_name)

    await stage.say("backends Qwen3-VL 0.12.0 H100", channel=room)
    await stage.settled(PATIENCE_S)

    assert stage.answers(room) == []


async def test_in_a_thread_with_an_incident_its_facts_fill_the_gaps_and_its_card_stays(stages, stage_name):
    stage, room = await _open(stages, stage_name)
    said = await stage.say(f"vLLM API server version 0.11.2 on NVIDIA H100\n{REFUSED}", channel=room)
    card = await stage.next_answer(channel=room, within_s=PATIENCE_S)
    await stage.settled(PATIENCE_S)
    before = len(stage.answers(room))

    await stage.mention("backends Qwen3-VL", channel=room, thread=said)
    answer = await stage.next_answer(before, channel=room, within_s=PATIENCE_S)
    await stage.settled(PATIENCE_S)

    assert "0.11.2" in answer.text
    assert "NVIDIA H100" in answer.text
    assert next(one for one in stage.answers(room) if one.id == card.id).edits == card.edits
