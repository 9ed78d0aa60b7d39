"""Answers to questions in words: cards that fit, in the asker's language, that ping nobody and keep secrets."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.chat.interface import Code, Tone
from bot.asking.asked import Asked, Known, Worded
from bot.asking.requests import BackendsRequest, CheckRequest, HelpRequest, read_request
from bot.asking.telling import answer_words, tell
from bot.triage.showing.document import document_of
from rules.releases.shipped import load_releases
from tests.bot.triage.test_cards_from_reports import acts_on_clients, texts_of
from tests.bot.triage.test_cards_that_fit import BLOCKS, EMBED, ROOMY, TIGHT, is_within

VERSIONS = [str(version) for version in load_releases().versions()]


def told(text, language="en", limits=ROOMY, known=None):
    return tell(Asked(read_request(text), limits, language, known or Known()))


def test_a_matrix_says_the_default_the_refusal_and_how_to_choose():
    text = document_of(told("backends Qwen3-VL 0.12.0 H100"))

    assert "# Attention backends of vLLM 0.12.0 on NVIDIA H100 (9.0)" in text
    assert "- `FLASH_ATTN`: yes; default" in text
    assert "the encoder refuses it (“Qwen3-VL does not support … backend now.”)" in text
    assert "`--mm-encoder-attn-backend NAME` or `VLLM_ATTENTION_BACKEND=NAME`" in text


def test_without_a_gpu_machines_are_told_apart():
    text = document_of(told("backends Qwen3-VL 0.12.0"))

    assert "- 7.0: yes `TRITON_ATTN`" in text
    assert "- 8.0-9.0: yes `FLASH_ATTN`" in text


def test_the_answer_is_in_the_askers_language():
    assert "注意力后端" in told("backends Qwen3-VL 0.12.0 H100", "zh").title
    assert told("help", "zh").language == "zh"
    assert "注意力后端" in told("backends 0.12.0 H100 --lang zh", "en").title


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("backends Qwen3-VL", "Name the vLLM release"),
        ("backends 0.34.0", "There are no facts of vLLM 0.34.0. Ask for one of those nearby: 0.33.0."),
        ("backends --vllm-version main", "There are no facts of vLLM main."),
        ("backends 0.12.0 --kv-cache-dtype fp3", "vLLM 0.12.0 knows no KV cache of fp3."),
        ("check", "Put the command that starts the server"),
    ],
)
def test_what_a_question_lacks_is_said_with_an_example(text, sentence):
    card = told(text)

    assert card.tone is Tone.WARNING
    assert sentence in card.summary
    assert any(isinstance(part, Code) for section in card.sections for part in section.parts)


def test_what_the_thread_knows_fills_in_what_the_words_leave_out():
    known = Known("0.12.0", "NVIDIA H100 80GB HBM3", "Qwen/Qwen3-VL-8B-Instruct")

    text = document_of(told("backends", known=known))

    assert "vLLM 0.12.0 on NVIDIA H100" in text
    assert "Vision encoder of Qwen3-VL" in text
    assert "0.33.0" in told("backends 0.33.0", known=known).title


def test_a_launch_that_would_fail_is_told_with_its_fix():
    card = told("check --vllm-version 0.12.0 vllm serve Qwen/Qwen3-8B --no-such-flag 1")
    text = document_of(card)

    assert card.tone is Tone.BAD
    assert "--no-such-flag" in text
    assert "vllm serve Qwen/Qwen3-8B" in text


def test_a_launch_that_would_start_is_called_sound():
    card = told("check --vllm-version 0.12.0 --gpu H100 vllm serve Qwen/Qwen3-8B --max-model-len 8192")

    assert card.tone is Tone.GOOD


def test_a_small_script_and_a_compose_file_are_checked():
    script = "check\nexport VLLM_ATTENTION_BACKEND=FLASHINFER\nvllm serve Qwen/Qwen3-VL-8B-Instruct"
    compose = (
        "check\nservices:\n  a:\n    image: vllm/vllm-openai:v0.12.0\n    command: --model m --no-such-flag"
    )

    assert "FLASHINFER" in document_of(told(script, known=Known("0.12.0")))
    assert "--no-such-flag" in document_of(told(compose))


HOSTILE = st.text(max_size=40) | st.sampled_from(
    ["@everyone", "<@U1>", "<!channel>", "```", "~~~", "\u202e", "*_`|", "hf_" + "aB3dE5" * 6, "x" * 500]
)


@settings(max_examples=60, deadline=None)
@given(
    st.builds(
        BackendsRequest,
        st.sampled_from([*VERSIONS, "main", "0.34.0"]) | HOSTILE,
        st.none() | st.sampled_from(["H100", "7.5", "cpu"]) | HOSTILE,
        st.none() | HOSTILE,
    ),
    st.sampled_from([ROOMY, BLOCKS, EMBED, TIGHT]),
    st.sampled_from(["en", "zh"]),
)
def test_any_question_about_backends_gets_a_card_that_fits_and_pings_nobody(request, limits, language):
    card = tell(Asked(request, limits, language))

    assert is_within(card, limits)
    assert not [text for text in texts_of(card) if acts_on_clients(text)]


LAUNCHES = HOSTILE.map(lambda text: CheckRequest(f"vllm serve {text} --foo {text}", "0.12.0"))


@settings(max_examples=60, deadline=None)
@given(LAUNCHES, st.sampled_from([ROOMY, BLOCKS, EMBED]))
def test_any_launch_gets_a_card_that_fits_and_pings_nobody(request, limits):
    card = tell(Asked(request, limits, "en"))

    assert is_within(card, limits)
    assert not [text for text in texts_of(card) if acts_on_clients(text)]


@pytest.mark.parametrize("limits", [ROOMY, BLOCKS, EMBED, TIGHT])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_help_fits_everywhere(limits, language):
    assert is_within(tell(Asked(HelpRequest(), limits, language)), limits)


def test_words_that_ask_nothing_are_left_to_be_diagnosed():
    assert answer_words(Worded("check this please", ROOMY, "en")) is None
    assert answer_words(Worded("help", ROOMY, "en")) == tell(Asked(HelpRequest(), ROOMY, "en"))


def test_a_container_is_mended_as_a_container():
    launch = (
        "docker run --gpus all -p 8000:8000 vllm/vllm-openai:v0.12.0 --model Qwen/Qwen3-8B --no-such-flag"
    )
    text = document_of(told(f"check {launch}"))

    assert "docker run --gpus all -p 8000:8000 vllm/vllm-openai:v0.12.0" in text


def test_of_several_servers_the_one_that_would_fail_is_told():
    compose = (
        "check\nservices:\n  good:\n    image: vllm/vllm-openai:v0.12.0\n    command: --model m\n"
        "  bad:\n    image: vllm/vllm-openai:v0.12.0\n    command: --model m --no-such-flag"
    )

    assert "launches 2 servers; this is about service bad" in document_of(told(compose))


def test_a_variable_that_a_script_does_not_export_does_not_reach_the_server():
    script = (
        "check --vllm-version 0.12.0\nVLLM_ATTENTION_BACKEND=FLASHINFER\nvllm serve Qwen/Qwen3-VL-8B-Instruct"
    )

    text = document_of(told(script))

    assert "set but not exported" in text
    assert "would not start" not in text
