"""Source code and histories that somebody shows tell of no failure, whatever messages they hold."""

import pytest

from rules.engine.paste.reading import read_paste
from rules.engine.paste.told.source import shown_source
from rules.engine.report import Status
from rules.engine.start import start_engine

ENGINE = start_engine()
MESSAGE = "No available memory for the cache blocks. Try increasing `gpu_memory_utilization`"

SHOWN = [
    f'vllm/worker/worker.py:540:        raise ValueError("{MESSAGE}")',
    f'-        raise ValueError("{MESSAGE}")\n+        raise ValueError(f"{MESSAGE}")',
    f'def check(blocks):\n    if blocks <= 0:\n        raise ValueError("{MESSAGE}")',
    f'def test_it():\n    with pytest.raises(ValueError, match="{MESSAGE}"):\n        check(0)',
    f'@@ -4,9 +4,9 @@ class Cache:\n-        assert blocks > 0, (\n-            "{MESSAGE}")\n+        pass',
    f"commit 8d1c2f0\nAuthor: Jane\n\n    [Misc] clearer\n\n    Print ValueError: {MESSAGE} once.",
    'raise RuntimeError("Qwen2-VL does not support _Backend.FLASHINFER backend now.")',
    '    logger.error("Selected backend AttentionBackendEnum.FLASHMLA is not valid for this configuration.")',
]


@pytest.mark.parametrize("text", SHOWN)
def test_a_message_in_shown_source_is_no_incident(text):
    assert ENGINE.diagnose(text).status is Status.NOT_AN_INCIDENT


@pytest.mark.parametrize(
    "text",
    [
        f'  File "/x/vllm/v1/a.py", line 9, in f\n    raise ValueError("{MESSAGE}")\nValueError: {MESSAGE}',
        f'(EngineCore_DP0 pid=7)     raise ValueError("{MESSAGE}")\n(EngineCore_DP0 pid=7) ValueError: {MESSAGE}',
        f'---> 36     raise ValueError("{MESSAGE}")\n\nValueError: {MESSAGE}',
        f"- ValueError: {MESSAGE}",
        f'raise ValueError("{MESSAGE[:45]} " ValueError: {MESSAGE}',
        f'    raise ValueError(f"{MESSAGE}") ValueError: {MESSAGE}',
        f"vllm serve some-org/some-model\n raise ValueError( ValueError: {MESSAGE}\nwhat is the reason, 32 GB here",
    ],
)
def test_what_a_program_printed_is_one(text):
    assert ENGINE.diagnose(text).status is Status.DIAGNOSED


def test_a_statement_below_a_frame_was_run():
    lines = read_paste('  File "/x/y.py", line 9, in check\n    raise ValueError("words")').lines

    assert shown_source(lines) == frozenset()


def test_long_logs_are_not_looked_through():
    lines = read_paste("\n".join(['raise ValueError("words")', *["word"] * 500])).lines

    assert shown_source(lines) == frozenset()
