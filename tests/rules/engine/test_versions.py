"""Ranges over the shipped releases, both ways."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from rules.engine.versions import (
    is_specifier,
    neighbours,
    parse_version,
    runs,
    select,
    specifier,
    stand_ins,
    within,
)

SHIPPED = tuple(
    map(
        Version,
        [
            "0.6.3",
            "0.6.3.post1",
            "0.6.6",
            "0.6.6.post1",
            "0.7.0",
            "0.9.0",
            "0.9.0.1",
            "0.10.1",
            "0.10.1.1",
            "0.11.0",
            "0.11.1",
            "0.11.2",
            "0.12.0",
            "0.13.0",
        ],
    )
)


def of(text: str) -> set[Version]:
    return set(map(Version, text.split()))


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ("0.11.1 0.11.2 0.12.0", ">=0.11.1,<0.13"),
        ("0.11.2", "==0.11.2"),
        ("0.6.3 0.6.3.post1 0.6.6", ">=0.6.3,<=0.6.6"),
        ("0.13.0", "==0.13.0"),
        ("0.12.0 0.13.0", ">=0.12,<=0.13.0"),
        ("0.11.0 0.11.2", ">=0.11,!=0.11.1,<0.12"),
        ("0.9.0.1 0.10.1", ">=0.9.0.1,<0.10.1.1"),
    ],
)
def test_a_set_of_releases_becomes_its_shortest_honest_range(chosen, expected):
    assert specifier(of(chosen), SHIPPED) == expected


def test_no_release_gives_no_range():
    assert specifier((), SHIPPED) is None


@given(st.sets(st.sampled_from(SHIPPED), min_size=1))
def test_a_range_means_exactly_the_releases_it_was_made_of(chosen):
    text = specifier(chosen, SHIPPED)

    assert text is not None
    assert set(select(text, SHIPPED)) == chosen


@given(st.sets(st.sampled_from(SHIPPED), min_size=1))
def test_a_range_claims_nothing_after_the_newest_shipped_release(chosen):
    text = specifier(chosen, SHIPPED)

    assert text is not None
    assert not within(Version("0.99.0"), text)


@given(st.sets(st.sampled_from(SHIPPED)))
def test_runs_hold_every_chosen_release_once_and_leave_gaps_between_them(chosen):
    found = runs(chosen, SHIPPED)

    assert [version for run in found for version in run] == sorted(chosen)
    for run, following in pairwise(found):
        assert SHIPPED.index(following[0]) > SHIPPED.index(run[-1]) + 1


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        ("0.11.2", "0.11.2"),
        ("0.11.2+cu128", "0.11.2"),
        ("0.11.2.post1", "0.11.2"),
        ("0.11.3.dev0", "0.11.2 0.12.0"),
        ("0.12.0rc1", "0.11.2 0.12.0"),
        ("0.11.3", "0.11.2 0.12.0"),
        ("0.5.0", ""),
        ("0.99.0", ""),
    ],
)
def test_a_build_is_spoken_for_by_its_release_or_by_both_neighbours(build, expected):
    assert set(stand_ins(Version(build), SHIPPED)) == of(expected)


def test_neighbours_stand_on_both_sides_of_a_build():
    assert neighbours(Version("0.10.2"), SHIPPED) == (Version("0.10.1.1"), Version("0.11.0"))
    assert neighbours(Version("0.99"), SHIPPED) == (Version("0.13.0"), None)


def test_what_is_no_release_is_no_version():
    assert parse_version("v0.11.2") == Version("0.11.2")
    assert parse_version("main") is None
    assert parse_version("") is None


def test_only_a_range_that_says_something_is_a_specifier():
    assert is_specifier(">=0.11.1,<0.13")
    assert not is_specifier("")
    assert not is_specifier("0.11")
