"""Diagnosis happens in processes of its own: lost, stuck or ended, the next question is answered."""

import asyncio
import multiprocessing
import os

import pytest

from bot.triage.looking.outcome import Question
from bot.triage.looking.pool import LookingPool, LookingTooLongError, WorkerLostError
from rules.engine.report import Status
from tests.bot.triage.handmade_engine import DEADLY, ENDLESS, handmade_engine
from tests.bot.triage.test_cards_that_fit import BLOCKS

REFUSED = "RuntimeError: Qwen3-VL does not support AttentionBackendEnum.FLASHINFER backend now."


def _question(*texts, files=()):
    return Question(texts, tuple(files), BLOCKS, "reply-1")


@pytest.fixture
async def pool():
    pool = LookingPool(handmade_engine, workers=1, timeout_s=60)
    yield pool
    pool.close()


async def test_a_question_comes_back_with_its_card(pool):
    outcome = await pool.look(_question("vLLM API server version 0.11.2", REFUSED))

    assert outcome.status is Status.DIAGNOSED
    assert (outcome.rule, outcome.confidence, outcome.vllm_version) == (
        "vit-backend-rejected",
        "certain",
        "0.11.2",
    )
    assert outcome.card.buttons[0].value == "reply-1"


async def test_it_is_ready_once_a_worker_has_its_engine(pool):
    before = pool.is_ready

    await pool.start()

    assert (before, pool.is_ready) == (False, True)


async def test_files_are_read_with_the_texts_and_their_masked_text_comes_back(pool, tmp_path):
    file = tmp_path / "a.log"
    file.write_text(f"token hf_abcdefgh1234\n{REFUSED}\n", encoding="utf-8")

    outcome = await pool.look(_question("It fails:", files=[file]))

    assert outcome.status is Status.DIAGNOSED
    assert outcome.read is not None
    assert "hf_abcdefgh1234" not in outcome.read


async def test_files_too_large_to_keep_are_read_and_not_kept(pool, tmp_path):
    file = tmp_path / "a.log"
    file.write_text("INFO\n" * 300_000 + REFUSED, encoding="utf-8")

    outcome = await pool.look(_question("It fails:", files=[file]))

    assert outcome.status is Status.DIAGNOSED
    assert outcome.read is None


async def test_a_worker_that_dies_is_reported_and_replaced(pool):
    with pytest.raises(WorkerLostError):
        await pool.look(_question(DEADLY))

    assert (await pool.look(_question(REFUSED))).status is Status.DIAGNOSED


async def test_a_worker_that_is_stuck_is_ended_and_replaced():
    pool = LookingPool(handmade_engine, workers=1, timeout_s=4)
    await pool.start()
    stuck = {process.pid for process in multiprocessing.active_children()}
    try:
        with pytest.raises(LookingTooLongError, match="4 seconds"):
            await pool.look(_question(ENDLESS))

        assert not stuck & {process.pid for process in multiprocessing.active_children()}
        assert await pool.mask("hf_abcdefgh1234") == ("hf_***", 1)
    finally:
        pool.close()


async def test_while_one_question_takes_long_others_are_answered():
    pool = LookingPool(handmade_engine, workers=2, timeout_s=120)
    thinking = asyncio.create_task(pool.look(_question(ENDLESS)))
    try:
        outcome = await pool.look(_question(REFUSED))

        assert outcome.status is Status.DIAGNOSED
        assert not thinking.done()
    finally:
        pool.close()
        await asyncio.gather(thinking, return_exceptions=True)


async def test_closing_ends_every_worker_at_once():
    pool = LookingPool(handmade_engine, workers=2, timeout_s=60)
    await pool.start()
    mine = [process for process in multiprocessing.active_children() if process.pid != os.getpid()]

    pool.close()

    assert mine
    assert not any(process.is_alive() for process in mine)
