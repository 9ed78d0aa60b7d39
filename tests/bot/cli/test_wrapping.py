"""Prose fits the terminal at any width, and loses nothing on the way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from bot.cli.answer.wrapping import wrapped

TEXT = st.text(
    alphabet=st.one_of(st.sampled_from(" \n。，：）后端启动失败"), st.characters(codec="utf-8")), max_size=300
)


@given(TEXT, st.integers(2, 200))
def test_no_line_is_wider_than_asked_but_for_closing_punctuation(text, width):
    for line in wrapped(text, width):
        assert cell_len(line.rstrip("、。，：；！？）」』】》”’")) <= width


@given(TEXT, st.integers(2, 200))
def test_only_blanks_are_lost(text, width):
    assert "".join(wrapped(text, width)).replace(" ", "") == "".join(text.split("\n")).expandtabs(4).replace(
        " ", ""
    )


@given(st.lists(st.from_regex(r"[a-z]{1,10}", fullmatch=True), min_size=1, max_size=40), st.integers(10, 80))
def test_words_are_kept_whole_and_in_order(words, width):
    assert " ".join(wrapped(" ".join(words), width)).split() == words


def test_chinese_fills_the_line():
    assert wrapped("这是 vLLM 的输出，但看不到最先失败的是什么。", 20) == [
        "这是 vLLM 的输出，但",
        "看不到最先失败的是什",
        "么。",
    ]


def test_no_line_begins_with_closing_punctuation():
    assert wrapped("启动失败，请重试", 8) == ["启动失败，", "请重试"]


@pytest.mark.parametrize("text", ["", " ", "\n"])
def test_nothing_stays_nothing(text):
    assert "".join(wrapped(text, 10)) == ""
