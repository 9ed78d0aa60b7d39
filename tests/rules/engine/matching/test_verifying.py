"""Hits are found on the right lines, in scope, with captures, and the work for them is bounded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.engine.matching.scan.index import build_index
from rules.engine.matching.scan.scanner import SetScanner, make_scanner
from rules.engine.matching.verifying import Limits
from rules.engine.paste.evidence import Evidence, EvidenceLine
from rules.engine.rule.model import RuleStatus, Scope
from tests.rules.engine.matching.handmade_rules import evidence, matcher, rule, signal

REJECTED = rule(
    "rejected", signal(r"(?P<model>[A-Z]\w*) refuses backend (?P<backend>\w+)", " refuses backend ")
)
NOTHING = frozenset[int]()


def test_a_hit_names_its_line_and_what_it_captured():
    hits = matcher([REJECTED]).match(evidence("fine", "Qwen refuses backend XF", "fine"), NOTHING)

    (hit,) = hits.rules["rejected"].of("main")
    assert hit.line == 1
    assert hit.captures == {"model": "Qwen", "backend": "XF"}


def test_a_line_with_the_literal_that_the_pattern_does_not_match_is_no_hit():
    hits = matcher([REJECTED]).match(evidence("nobody refuses backend !"), NOTHING)

    assert not hits.rules
    assert hits.searched == 1


def test_equal_lines_of_many_workers_are_searched_once_and_all_counted():
    hits = matcher([REJECTED]).match(evidence(*["Qwen refuses backend XF"] * 16), NOTHING)

    assert hits.searched == 1
    assert len(hits.rules["rejected"].of("main")) == 16


@pytest.mark.parametrize("scanner", [make_scanner, SetScanner])
@pytest.mark.parametrize("filler", ["x" * 79, "ö" * 79])
def test_a_hit_is_found_wherever_blocks_of_the_scan_meet(scanner, filler):
    index = build_index([REJECTED])
    size = len((filler + "\n").encode())
    per_block = 256 * 1024 // size
    for before in range(per_block - 2, per_block + 3):
        lines = [*[filler] * before, "Qwen refuses backend XF", *[filler] * per_block]
        hits = matcher([REJECTED], scanner(index.keys)).match(evidence(*lines), NOTHING)

        assert [hit.line for hit in hits.rules["rejected"].of("main")] == [before]


def test_a_line_longer_than_a_block_is_searched_whole():
    text = "x" * 300_000 + " Qwen refuses backend XF " + "y" * 300_000
    hits = matcher([REJECTED]).match(evidence("first", text, "last"), NOTHING)

    assert [hit.line for hit in hits.rules["rejected"].of("main")] == [1]


def test_a_signal_that_ignores_case_fires_on_any_spelling():
    loud = rule("loud", signal(r"(?i)cannot open device (?P<name>\w+)", "Cannot Open Device"))
    hits = matcher([loud]).match(evidence("CANNOT OPEN Device gpu0"), NOTHING)

    assert hits.rules["loud"].of("main")[0].captures == {"name": "gpu0"}


def test_retired_rules_never_fire():
    retired = rule("old", signal("refuses backend", "refuses backend"), status=RuleStatus.RETIRED)

    assert not matcher([retired]).match(evidence("x refuses backend y"), NOTHING).rules


@pytest.mark.parametrize(
    ("scope", "level", "code", "fires"),
    [
        (Scope.CAUSE, None, False, True),
        (Scope.CAUSE, "ERROR", False, True),
        (Scope.CAUSE, "INFO", False, False),
        (Scope.CAUSE, "WARNING", False, False),
        (Scope.CAUSE, "ERROR", True, False),
        (Scope.RECORD, "WARNING", False, True),
        (Scope.RECORD, None, False, True),
        (Scope.RECORD, None, True, False),
        (Scope.ANY, "INFO", True, True),
    ],
)
def test_a_signal_fires_only_on_lines_of_its_scope(scope, level, code, fires):
    one = rule("one", signal("some telling words", "some telling words", scope=scope))
    paste = Evidence((EvidenceLine(1, "some telling words", level=level),))

    hits = matcher([one]).match(paste, frozenset({0} if code else ()))
    assert bool(hits.rules) is fires


def test_near_misses_beyond_the_limit_are_not_searched_and_the_rule_is_named():
    flood = evidence(*[f"{number} refuses backend -{number}" for number in range(500)])
    hits = matcher([REJECTED], limits=Limits(texts_per_signal=100)).match(flood, NOTHING)

    assert hits.searched == 100
    assert hits.capped == {"rejected"}


def test_characters_are_limited_over_all_signals_together():
    long = evidence(*[f"{number} refuses backend -{'x' * 1000}" for number in range(100)])
    hits = matcher([REJECTED], limits=Limits(characters=10_000)).match(long, NOTHING)

    assert hits.searched <= 10
    assert hits.capped == {"rejected"}


def test_a_hit_before_the_limit_stands_and_silent_signals_become_uncertain():
    flood = ["Qwen refuses backend XF", *[f"{number} refuses backend -{number}" for number in range(50)]]
    hits = matcher([REJECTED], limits=Limits(texts_per_signal=10)).match(evidence(*flood), NOTHING)

    assert hits.rules["rejected"].of("main")
    assert hits.rules["rejected"].uncertain == {"main"}


@given(st.integers(1, 300))
def test_the_work_for_a_flood_of_near_misses_grows_no_faster_than_the_flood(size):
    flood = evidence(*[f"{number} refuses backend -" for number in range(size)])

    assert matcher([REJECTED]).match(flood, NOTHING).searched == size
