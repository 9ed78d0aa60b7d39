"""A traceback that a list or a quote indented is read as at the margin; Python's own indentation stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.engine.paste.cleaning import NumberedLine, clean_lines
from rules.engine.paste.reading import read_paste
from rules.engine.paste.rootcause import find_root_cause
from rules.engine.paste.unwrapping.dedenting import dedent

MESSAGE = "ValueError: max_num_seqs (1024) exceeds available Mamba cache blocks (600)."
TRACEBACK = f"""\
Traceback (most recent call last):
  File "/opt/venv/lib/python3.12/site-packages/vllm/v1/engine/core.py", line 10, in run
    raise ValueError(f"max_num_seqs ({{wanted}}) exceeds")
{MESSAGE}"""


def dedented(text: str) -> list[str]:
    return [line.text for line in dedent(clean_lines(text))]


def indented(text: str, by: str) -> str:
    return "\n".join(by + line for line in text.split("\n"))


@pytest.mark.parametrize("by", [" ", "  ", "    ", "        ", "\t"])
def test_a_block_is_moved_as_far_out_as_its_head(by):
    assert dedented(f"I see this:\n\n{indented(TRACEBACK, by)}\n\nany idea?") == [
        "I see this:",
        *TRACEBACK.split("\n"),
        "any idea?",
    ]


@pytest.mark.parametrize("by", ["", "  ", "\t"])
def test_the_cause_is_what_was_raised_and_not_the_code_that_raises_it(by):
    root = find_root_cause(read_paste(indented(TRACEBACK, by)).lines).root

    assert root is not None
    assert root.text == MESSAGE


def test_an_exception_a_little_in_below_frames_at_the_margin_ends_its_traceback():
    flat = "\n".join(line.strip() for line in TRACEBACK.split("\n")).replace("\nValueError", "\n ValueError")

    assert dedented(flat)[-1] == MESSAGE


@pytest.mark.parametrize(
    "text",
    [
        TRACEBACK,
        "def run():\n    raise ValueError('x')",
        'Traceback (most recent call last):\n  File "/a.py", line 1, in f\n    ValueError: in a text that is shown',
        "  - a list\n  - of things",
    ],
)
def test_what_stands_right_stays(text):
    assert dedented(text) == text.split("\n")


@given(
    st.lists(st.sampled_from([*TRACEBACK.split("\n"), "", "x"]), max_size=12),
    st.sampled_from(["", " ", "\t "]),
)
def test_only_blanks_at_the_beginning_of_lines_are_lost(texts, by):
    lines = [NumberedLine(number, by + text) for number, text in enumerate(texts, 1)]

    for before, after in zip(lines, dedent(lines), strict=True):
        assert after.number == before.number
        assert after.text.lstrip() == before.text.lstrip()
        assert before.text.endswith(after.text)
