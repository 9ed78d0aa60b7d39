"""Flags are found in every spelling, set in place, and dropped with their value and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.hosts.helper.launch.change import Change, applied, applied_late, change_from
from adapters.hosts.helper.launch.flags import change_flags
from adapters.hosts.helper.launch.marks import CHANGE
from adapters.hosts.helper.launch.running import is_same_command
from adapters.hosts.helper.launch.spec import Spec
from adapters.hosts.helper.refusal import Refusal

SERVE = ("vllm", "serve", "org/model")
SEED = ["--seed", "7"]
SET = {
    "joined": (["--max-model-len=1", *SEED], ["--max-model-len=9", *SEED]),
    "apart": (["--max-model-len", "1", *SEED], ["--max-model-len=9", *SEED]),
    "with underscores": (["--max_model_len", "1", *SEED], ["--max-model-len=9", *SEED]),
    "twice": (["--max-model-len", "1", *SEED, "--max-model-len=2"], ["--max-model-len=9", *SEED]),
    "not at all": (SEED, [*SEED, "--max-model-len=9"]),
    "a number below zero": (["--max-model-len", "-1", *SEED], ["--max-model-len=9", *SEED]),
    "one that begins alike": (["--max-model-length", "1"], ["--max-model-length", "1", "--max-model-len=9"]),
    "last": ([*SEED, "--max-model-len"], [*SEED, "--max-model-len=9"]),
}


@pytest.mark.parametrize("how", SET)
def test_a_flag_is_set_where_it_stands(how):
    before, after = SET[how]

    assert change_flags([*SERVE, *before], {"--max-model-len": "9"}, ()) == (*SERVE, *after)


def test_a_switch_is_set_without_a_value():
    assert change_flags(SERVE, {"--enforce-eager": ""}, ()) == (*SERVE, "--enforce-eager")


def test_a_value_that_looks_like_a_flag_stays_a_value():
    assert change_flags(SERVE, {"--tool": "--trust-remote-code"}, ())[-1] == "--tool=--trust-remote-code"


DROPPED = {
    "a switch": (["--enforce-eager", *SEED], SEED),
    "a value": (["--enforce-eager", "x", *SEED], SEED),
    "many values": (["--enforce-eager", "x", "y", *SEED], SEED),
}


@pytest.mark.parametrize("how", DROPPED)
def test_a_flag_is_dropped_with_what_belongs_to_it(how):
    before, after = DROPPED[how]

    assert change_flags([*SERVE, *before], {}, ("--enforce-eager",)) == (*SERVE, *after)


def test_the_model_is_never_taken_for_a_flag_s_value():
    words = ["vllm", "serve", "--enforce-eager", "org/model"]

    with pytest.raises(Refusal, match="cannot be told"):
        change_flags(words, {}, ("--enforce-eager",))
    assert change_flags(["vllm", "serve", "--seed=7", "m"], {}, ("--seed",)) == ("vllm", "serve", "m")


def test_a_module_s_command_names_its_model_by_a_flag():
    words = ["python", "-m", "vllm.entrypoints.openai.api_server", "--model", "m", *SEED]

    assert change_flags(words, {}, ("--seed",)) == tuple(words[:5])


NAMES = st.sampled_from(["--a", "--b-c", "--max-model-len"])
WORDS = st.lists(st.sampled_from(["--a", "--a=1", "--b_c", "x", "-1", "--other", "y"]), max_size=8)


@given(WORDS, NAMES)
def test_what_was_set_stands_once_and_what_was_dropped_nowhere(words, name):
    with_it = change_flags([*SERVE, *words], {name: "v"}, ())
    without = change_flags(with_it, {}, (name,))

    assert with_it.count(f"{name}=v") == 1
    assert change_flags(with_it, {name: "v"}, ()) == with_it
    assert not [word for word in without[3:] if word.partition("=")[0].replace("_", "-") == name]
    assert without[:3] == SERVE


CHANGES = st.builds(
    Change,
    st.lists(st.sampled_from(["A", "B"]), unique=True).map(tuple),
    st.dictionaries(st.sampled_from(["C", "D"]), st.sampled_from(["1", "2"])),
    st.dictionaries(st.sampled_from(["--a", "--b"]), st.sampled_from(["", "1"])),
    st.lists(st.sampled_from(["--c", "--d"]), unique=True).map(tuple),
)


@given(CHANGES, CHANGES)
def test_two_changes_in_one_do_what_both_do(first, second):
    spec = Spec((*SERVE, "--c", "--a=0"), {"A": "1", "C": "0", "PATH": "/bin"})

    one_by_one = applied(applied(spec, first), second)
    at_once = applied(spec, first.then(second))

    assert dict(one_by_one.env) == dict(at_once.env)
    assert sorted(one_by_one.argv) == sorted(at_once.argv)


@given(CHANGES)
def test_a_change_survives_its_text(change):
    assert change_from(change.as_json()).as_json() == change.as_json()


@given(CHANGES)
def test_a_change_that_is_carried_says_what_is_to_be_done(change):
    spec = Spec(("/srv/run.sh",), {"A": "1"})
    late = applied_late(spec, change)

    assert late.argv == spec.argv
    assert (CHANGE in late.env) is not change.is_empty
    assert applied_late(spec, Change()).hash == spec.hash


PYTHON = "/venv/bin/python3"
SAME = {
    "as it is": (("vllm", "serve"), ("vllm", "serve"), True),
    "behind Python": ((PYTHON, "/venv/bin/vllm", "serve"), ("vllm", "serve"), True),
    "behind Python with an option": ((PYTHON, "-I", "/venv/bin/vllm", "serve"), ("vllm", "serve"), True),
    "without what started it": (
        (PYTHON, "/venv/bin/vllm", "serve"),
        ("numactl", "-N0", "vllm", "serve"),
        True,
    ),
    "another word": (("vllm", "serve", "--seed=1"), ("vllm", "serve"), False),
    "another program": ((PYTHON, "/venv/bin/other", "serve"), ("vllm", "serve"), False),
    "less": (("vllm",), ("vllm", "serve"), False),
}


@pytest.mark.parametrize("how", SAME)
def test_a_running_command_is_recognised_as_what_was_planned(how):
    running, planned, is_same = SAME[how]

    assert is_same_command(running, planned) is is_same
