"""A prefix that nobody knows is learned from what stands before vLLM's own records."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.engine.paste.cleaning import NumberedLine, clean_lines
from rules.engine.paste.prefixes.learned import without_learned
from rules.engine.paste.reading import read_paste
from rules.engine.paste.rootcause import find_root_cause

MESSAGE = "ValueError: max_num_seqs (1024) exceeds available Mamba cache blocks (600)."
RECORD = "(EngineCore pid=9) ERROR 05-01 10:00:00 [core.py:1108] "
LOG = (
    "(EngineCore pid=9) WARNING 05-01 10:00:00 [_custom_ops.py:11] ImportError('x.so: undefined symbol: y')",
    f"{RECORD}Traceback (most recent call last):",
    f'{RECORD}  File "/opt/venv/lib/python3.12/site-packages/vllm/v1/engine/core.py", line 10, in run',
    f"{RECORD}    raise ValueError(f'max_num_seqs ({{wanted}}) exceeds')",
    f"{RECORD}{MESSAGE}",
    "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above.",
)
CARRIERS = [
    "{number} ",
    "{number:>4} | ",
    "0: ",
    "vllm-7c9f8d-abcde vllm ",
    "default/vllm-0[vllm]: ",
    "[2026-05-01, 10:00:0{number} UTC] {{subprocess.py:93}} INFO - ",
    "[INFO ] PyProcess - W-12-model-stdout: ",
    "nomad[{number}]: ",
]


def carried(carrier: str) -> str:
    return "\n".join(carrier.format(number=number) + line for number, line in enumerate(LOG, 1))


@pytest.mark.parametrize("carrier", CARRIERS)
def test_the_cause_is_found_behind_a_carrier_that_is_not_known(carrier):
    evidence = read_paste(carried(carrier))
    root = find_root_cause(evidence.lines).root

    assert root is not None
    assert (root.text, root.process) == (MESSAGE, "EngineCore")
    assert root.number == 5


@pytest.mark.parametrize("carrier", CARRIERS)
def test_the_traceback_alone_is_enough(carrier):
    lines = [line.removeprefix(RECORD) for line in LOG[1:5]]
    text = "\n".join(carrier.format(number=number) + line for number, line in enumerate(lines, 1))
    root = find_root_cause(read_paste(text).lines).root

    assert root is not None
    assert root.text.endswith(MESSAGE)


def test_what_only_a_few_lines_share_is_no_prefix():
    text = "\n".join(["note: " + LOG[1], "one", "two", "three", "four"])

    assert [line.text for line in without_learned(clean_lines(text))] == text.split("\n")


@given(st.lists(st.sampled_from([*LOG, *map("pod {} ".format, LOG), "12 x", "", "pod 1"]), max_size=15))
def test_only_beginnings_are_taken_off(texts):
    lines = [NumberedLine(number, text) for number, text in enumerate(texts, 1)]

    for before, after in zip(lines, without_learned(lines), strict=True):
        assert after.number == before.number
        assert before.text.endswith(after.text)
