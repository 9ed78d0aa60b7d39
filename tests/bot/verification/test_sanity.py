"""Whether an answer is one, whatever the server sends."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.verification.sanity import (
    completion_of,
    completion_text,
    is_cut_short,
    names_of,
    nonsense,
    quoted,
    served_names,
)

ASKED = "The capital of France is"


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
        "Paris. The capital of France is Paris.",
        "The capital of France is Paris",
        "Paris...",
        "a city of more than 2,000,000 people",
        "Nooooooo, it is Paris of course",
        # of the tiny model of random weights that the tests with a real vLLM run
        "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd888888888",
    ],
)
def test_an_answer_that_may_be_one_is_let_through(text):
    assert nonsense(text, ASKED) is None


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
        "Paris!!!!!!!!!!!!",
        "It is !!!!!!!!",
        "Paris the the the the the the",
        ASKED,
        f"\n{ASKED.upper()}  {ASKED}",
    ],
)
def test_noise_is_named(text):
    assert nonsense(text, ASKED)


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
            st.sampled_from(
                [
                    "data",
                    "id",
                    "root",
                    "choices",
                    "message",
                    "content",
                    "text",
                    "model",
                    "error",
                    "finish_reason",
                ]
            ),
            inner,
            max_size=4,
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
    completion = completion_of(body)
    assert completion is None or is_cut_short(completion) in {True, False}
    assert "m" in names_of("m", body)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_a_number_that_json_does_not_have_is_no_answer(number):
    assert completion_of(f'{{"choices":[{{"text":"Paris","logprobs":[{number}]}}]}}') is None
    assert served_names(f'{{"data":[{{"id":"m","created":{number}}}]}}') == ()


def test_names_of_a_model_are_those_with_its_weights():
    body = json.dumps(
        {
            "data": [
                {"id": "m", "root": "/w/m"},
                {"id": "alias", "root": "/w/m"},
                {"id": "lora", "root": "/w/lora", "parent": "m"},
                {"id": "bare"},
            ]
        }
    )

    assert names_of("m", body) == {"m", "alias"}
    assert names_of("lora", body) == {"lora"}
    assert names_of("bare", body) == {"bare"}


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
