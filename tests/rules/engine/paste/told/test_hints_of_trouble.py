"""What a text without a failure leaves open: trouble told in words, a bare name, a start that ends early."""

import pytest

from rules.engine.paste.nature import read_nature
from rules.engine.paste.reading import read_paste
from rules.engine.paste.rootcause import find_root_cause
from rules.engine.paste.told.hints import is_begun, is_hinted


def _asked(text: str) -> tuple[bool, bool]:
    """Return whether trouble is hinted at, and whether a start that ends early is shown."""
    lines = read_paste(text).lines
    nature = read_nature(lines, find_root_cause(lines))
    return is_hinted(lines, nature), is_begun(lines, nature)


@pytest.mark.parametrize(
    "text",
    [
        "the engine crashes right after loading the weights",
        "ray OOM in tensor parallel",
        "server never starts with two GPUs, no output at all",
        "启动之后一直卡住，没有任何输出",
        "VRAM of the engine core is not freed after the crash",
        "_vllm_fa2_C",
        "VLLM::EngineCore",
        "--limit-mm-per-prompt should use JSON",
        "    self.maybe_wait_for_kv_save()",
    ],
)
def test_trouble_in_words_and_bare_names_are_hints(text):
    assert _asked(text)[0]


@pytest.mark.parametrize(
    "text",
    [
        "hello there, anyone using this?",
        "FLASHINFER gives lower throughput than FLASH_ATTN and I cannot see why",
        "the new kernel fails to be faster: 1.7x slower, benchmark attached",
        "please support FLASH_ATTN_V1, it cannot run on Turing",
        "[Feature]: raise a clear error when head_size is not supported",
        "2.1.0 no longer fails with `No valid attention backend found`",
        "is flash_attn_varlen_func part of the package?",
        "推理速度太慢，无法接受",
        "a plain sentence about nothing in particular",
    ],
)
def test_questions_of_speed_wishes_and_talk_are_none(text):
    assert _asked(text) == (False, False)


@pytest.mark.parametrize(
    "text",
    [
        '  File "/opt/sglang/srt/managers/scheduler.py", line 1, in run\n    self.event_loop_normal()',
        "INFO:     Application startup complete.\nERROR 11-28 07:55:57 [serving.py:1] request failed",
    ],
)
def test_another_program_and_a_server_that_came_up_hint_at_nothing(text):
    assert _asked(text) == (False, False)


def test_the_words_of_a_logger_are_no_trouble_that_somebody_tells():
    record = "WARNING 10-06 22:12:35 [topk_topp_sampler.py:66] "

    assert _asked(f"{record}FlashInfer is not available. For the best performance, please install it.") == (
        False,
        True,
    )


def test_a_start_that_came_up_is_not_merely_begun():
    begun = (
        "(EngineCore_DP0 pid=7) INFO 11-28 07:55:57 [gpu_model_runner.py:2634] Loading model from scratch..."
    )

    assert _asked(begun) == (False, True)
    assert _asked(f"{begun}\n(APIServer pid=1) INFO:     Application startup complete.") == (False, False)
