"""A message that somebody spread over indented lines is one line again; code and frames stay apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.engine.paste.cleaning import NumberedLine, clean_lines
from rules.engine.paste.reading import read_paste
from rules.engine.paste.unwrapping.folding import fold

REFUSAL = (
    "ValueError: No valid attention backend found for cuda with AttentionSelectorConfig(head_size=576, "
    "dtype=torch.float16, use_mla=True, use_sparse=True). "
    "Reasons: {FLASHMLA: [sparse not supported], TRITON_MLA: [sparse not supported]}."
)
SPREAD = """\
ValueError: No valid attention backend found for cuda with AttentionSelectorConfig(
    head_size=576,
    dtype=torch.float16,
    use_mla=True,
    use_sparse=True
). Reasons: {
    FLASHMLA: [sparse not supported],
    TRITON_MLA: [sparse not supported]
}."""


def folded(text: str) -> list[str]:
    return [line.text for line in fold(clean_lines(text))]


@pytest.mark.parametrize(
    "prefix", ["", "(EngineCore pid=7) ERROR 05-01 10:00:00 [core.py:1108] ", "[rank0]: "]
)
def test_a_refusal_that_was_set_out_for_reading_is_one_line_again(prefix):
    assert folded(f"before\n{prefix}{SPREAD}\nafter") == ["before", prefix + REFUSAL, "after"]


def test_the_joined_line_has_the_number_of_its_first_part():
    lines = fold(clean_lines(f"before\n{SPREAD}\nafter"))

    assert [line.number for line in lines] == [1, 2, 11]


def test_what_is_read_from_it_is_what_is_read_from_the_line_as_printed():
    assert [line.text for line in read_paste(SPREAD).lines] == [
        line.text for line in read_paste(REFUSAL).lines
    ]


@pytest.mark.parametrize(
    "text",
    [
        "    raise ValueError(\n        'no backend'\n    )",
        "ValueError: got (\nINFO 05-01 10:00:00 [core.py:1] next",
        'RuntimeError: lost [\n  File "/opt/vllm/worker.py", line 3, in run\n]',
        "ValueError: expected one of (\n    FLASH_ATTN,\n    TRITON_ATTN",
        "llm = LLM(\n    model='m',\n)",
    ],
)
def test_code_frames_and_what_never_closes_stay_apart(text):
    assert folded(text) == text.split("\n")


@given(
    st.lists(
        st.sampled_from(
            ["ValueError: a(", "RuntimeError: b {", "  c=1,", "\td: [", ")", "  ]", "}. e", "f", " ", ""]
        )
        | st.text(alphabet="ab(){}[] :", max_size=30),
        max_size=30,
    )
)
def test_no_character_but_blanks_is_lost_or_made(texts):
    lines = [NumberedLine(number, text) for number, text in enumerate(texts, 1)]

    joined = "".join(line.text for line in fold(lines))

    assert "".join(joined.split()) == "".join("".join(texts).split())
