"""A plan is the same bytes for the same content, another hash for any other, and comes back as it was kept."""

import json
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.hosts.records import Launch, LaunchChange
from bot.relaunch.planning.difference import DiffKind, DiffLine, difference
from bot.relaunch.planning.kept_plan import ForeignPlanError, plan_from_json
from bot.relaunch.planning.plan import Check, Plan, Promises, Source, Timeouts, canonical, plan_to_json

WORD = st.text(max_size=20)
WORDS = st.lists(WORD, max_size=4).map(tuple)
SETTINGS = st.dictionaries(WORD, WORD, max_size=4)
HASH = st.text("0123456789abcdef", min_size=64, max_size=64)
MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
LAUNCHES = st.builds(Launch, WORDS, SETTINGS, HASH)
SECONDS = st.floats(0, 1e6)
PLANS = st.builds(
    Plan,
    id=WORD,
    host=WORD,
    server=WORD,
    driver=WORD,
    vllm_version=st.none() | WORD,
    before=LAUNCHES,
    after=LAUNCHES,
    change=st.builds(LaunchChange, WORDS, SETTINGS, SETTINGS, WORDS),
    diff=st.lists(
        st.builds(DiffLine, st.sampled_from(DiffKind), WORD, st.none() | WORD, st.none() | WORD)
    ).map(tuple),
    steps=WORDS,
    timeouts=st.builds(Timeouts, SECONDS, SECONDS, SECONDS, SECONDS, SECONDS),
    checks=st.lists(st.sampled_from(Check), unique=True).map(tuple),
    promises=st.builds(Promises, st.lists(WORDS, max_size=3).map(tuple), WORDS),
    model=WORD,
    was_serving=st.booleans(),
    is_forced=st.booleans(),
    source=st.builds(Source, WORD, WORD, WORD, st.integers(0, 99), WORD, WORD),
    expected_minutes=st.integers(1, 999),
    made_at=MOMENTS,
    expires_at=MOMENTS,
    nonce=WORD,
)


@given(PLANS)
def test_a_plan_comes_back_as_it_was_kept_with_the_same_hash(plan):
    kept = json.loads(json.dumps(plan_to_json(plan)))

    back = plan_from_json(kept)

    assert back == plan
    assert back.hash == plan.hash


@given(PLANS, PLANS)
def test_two_plans_have_the_same_hash_only_when_they_are_equal(one, other):
    assert (one.hash == other.hash) == (one == other)


@given(PLANS, st.data())
def test_any_field_that_changes_changes_the_hash(plan, data):
    name = data.draw(st.sampled_from([field.name for field in fields(Plan)]))
    other = data.draw(PLANS)
    changed = replace(plan, **{name: getattr(other, name)})

    assert (changed.hash == plan.hash) == (changed == plan)


@given(PLANS)
def test_the_order_in_which_settings_were_found_does_not_matter(plan):
    turned = replace(plan, before=replace(plan.before, env=dict(reversed(list(plan.before.env.items())))))

    assert turned.hash == plan.hash


@given(PLANS)
def test_what_is_hashed_is_one_line_of_ascii(plan):
    text = canonical(plan_to_json(plan))

    assert text.isascii()
    assert not set(text) & set(range(0x20))


def test_a_plan_of_another_shape_is_refused_with_a_way_out():
    with pytest.raises(ForeignPlanError, match="reject it and ask for a new one"):
        plan_from_json({"shape": 99})


def test_the_host_waits_longer_than_the_bot_does_in_all():
    timeouts = Timeouts()

    longest = timeouts.grace + timeouts.start + 4 * timeouts.probe + timeouts.soak
    assert timedelta(seconds=timeouts.restore_after) >= timedelta(seconds=longest) + timedelta(minutes=5)


def test_a_difference_names_variables_flags_and_words():
    before = Launch(
        ("vllm", "serve", "a", "--port", "1", "--lora", "x", "--lora", "y", "--enforce-eager"),
        {"A": "1", "B": "2", "C": "3"},
        "0" * 64,
    )
    after = Launch(
        ("vllm", "serve", "b", "--port=1", "--lora", "x", "--lora", "z", "--max-model-len=5"),
        {"A": "1", "B": "3", "D": "4"},
        "1" * 64,
    )

    assert difference(before, after) == (
        DiffLine(DiffKind.VARIABLE, "B", "2", "3"),
        DiffLine(DiffKind.VARIABLE, "C", "3", None),
        DiffLine(DiffKind.VARIABLE, "D", None, "4"),
        DiffLine(DiffKind.WORD, "word 3", "a", "b"),
        DiffLine(DiffKind.FLAG, "--lora", "y", "z"),
        DiffLine(DiffKind.FLAG, "--enforce-eager", "", None),
        DiffLine(DiffKind.FLAG, "--max-model-len", None, "5"),
    )


@given(LAUNCHES)
def test_a_launch_does_not_differ_from_itself(launch):
    assert difference(launch, launch) == ()
