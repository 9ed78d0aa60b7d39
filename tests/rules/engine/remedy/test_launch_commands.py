"""A launch is changed flag by flag, and nothing else of it moves."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.engine.paste.facts import Facts
from rules.engine.remedy.commands import changed_argv, commands
from rules.engine.remedy.requests import RED_PNG, completion, is_masked
from rules.engine.report import Change

FLAG = "--mm-encoder-attn-backend"
WORDS = st.text(alphabet=st.characters(codec="ascii", exclude_categories=("Cc",)), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (("vllm", "serve", "m"), ("vllm", "serve", "m", FLAG, "TORCH_SDPA")),
        (
            ("vllm", "serve", "m", FLAG, "X", "--port", "1"),
            ("vllm", "serve", "m", "--port", "1", FLAG, "TORCH_SDPA"),
        ),
        (("vllm", "serve", "m", f"{FLAG}=X"), ("vllm", "serve", "m", FLAG, "TORCH_SDPA")),
        (
            ("vllm", "serve", "m", "--mm_encoder_attn_backend", "X"),
            ("vllm", "serve", "m", FLAG, "TORCH_SDPA"),
        ),
    ],
)
def test_a_flag_is_set_once_whatever_its_spelling(argv, expected):
    assert changed_argv(argv, Change(flags_set={FLAG: "TORCH_SDPA"})) == expected


def test_a_flag_without_a_value_leaves_what_follows_it():
    argv = ("vllm", "serve", "m", "--fail-on-environ-validation", "--port", "9000")

    assert changed_argv(argv, Change(flags_unset=("--fail-on-environ-validation",))) == (
        "vllm", "serve", "m", "--port", "9000",
    )  # fmt: skip


@given(st.lists(WORDS.filter(lambda word: not word.startswith("-")), min_size=1, max_size=6))
def test_a_change_of_nothing_changes_nothing(words):
    assert changed_argv(tuple(words), Change()) == tuple(words)


@given(st.lists(WORDS, min_size=1, max_size=6), WORDS)
def test_a_repeated_launch_is_read_by_a_shell_as_it_was(words, value):
    argv = tuple(word for word in words if not is_masked(word)) or ("vllm",)
    facts = Facts(argv=argv)

    (command,) = commands(Change(flags_set={FLAG: value}), facts)

    told, _, _ = command.rpartition(" 2>&1 | tee ")
    assert tuple(shlex.split(told)) == changed_argv(argv, Change(flags_set={FLAG: value}))


@pytest.mark.parametrize("mask", ["<secret>", "***"])
def test_a_launch_with_a_masked_part_is_not_offered_for_copying(mask):
    facts = Facts(argv=("vllm", "serve", "m", "--api-key", mask), model="m")

    (command,) = commands(Change(flags_set={FLAG: "TORCH_SDPA"}), facts)

    assert mask not in command
    assert command.startswith("vllm serve m --mm-encoder-attn-backend")


@given(WORDS)
def test_a_request_names_any_model_safely(model):
    command = completion(Facts(model=model), image=True)

    assert RED_PNG in shlex.split(command)[-1]


def test_a_server_with_a_key_is_asked_with_the_key_of_the_shell():
    facts = Facts(model="/home/<user>/m", flags={"--api-key": "<secret>"})

    command = completion(facts, image=False)

    assert "Bearer ${VLLM_API_KEY:?" in command
    assert "<secret>" not in command
    assert "<user>" not in command
