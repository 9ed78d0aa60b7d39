"""Whether an answer is one, whatever the server sends."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.verification.sanity import completion_text, nonsense, quoted, served_names


@pytest.mark.parametrize(
    "text",
    [
        "Paris",
        "Paris.",
        "巴黎",
        "The capital is Paris.",
        "42",
        "Paris Paris",
        "Red",
        "a",
        "ok ok",
        "Красный",
        "1, 2, 3",
    ],
)
def test_an_answer_that_may_be_one_is_let_through(text):
    assert nonsense(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "!!!!!!!!",
        "! ! ! ! ! !",
        "aaaaaaaaaaaa",
        "the the the the",
        "ababababab",
        "Paris" * 5,
        "\ufffd\ufffd\ufffd\ufffdx",
        "\x00\x01\x02\x03\x04",
        "....,,,,;;;;",
        "<|endoftext|>" * 6,
    ],
)
def test_noise_is_named(text):
    assert nonsense(text)


@given(st.text(max_size=300))
def test_any_text_is_judged_and_what_is_said_of_it_is_one_short_printable_line(text):
    fault = nonsense(text)

    assert fault is None or (fault.isprintable() and len(fault) < 300)


@given(st.text(max_size=2000))
def test_a_quote_is_one_short_printable_line(text):
    assert quoted(text).isprintable()
    assert len(quoted(text)) <= 200


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["data", "id", "choices", "message", "content", "text", "x"]), inner, max_size=3
        )
    ),
    max_leaves=12,
)


@given(JSON | st.text(max_size=50))
def test_any_body_is_read_without_a_crash(value):
    body = value if isinstance(value, str) else json.dumps(value)

    assert all(isinstance(name, str) and name for name in served_names(body))
    text = completion_text(body)
    assert text is None or isinstance(text, str)


def test_a_body_nested_too_deep_is_no_answer():
    assert served_names("[" * 100_000) == ()
    assert completion_text('{"choices":' + "[" * 100_000) is None


def test_old_completions_chats_and_models_that_reason_are_read():
    assert completion_text('{"choices":[{"text":"Paris"}]}') == "Paris"
    assert completion_text('{"choices":[{"message":{"content":"Paris"}}]}') == "Paris"
    assert (
        completion_text('{"choices":[{"message":{"content":null,"reasoning":"Hm, Paris"}}]}') == "Hm, Paris"
    )
    assert completion_text('{"choices":[{"message":{"content":null}}]}') == ""
    assert completion_text('{"error":{"message":"no"}}') is None
