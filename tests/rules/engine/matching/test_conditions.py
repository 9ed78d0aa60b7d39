"""Conditions are true, false, or unknown where a fact is missing."""

import pytest
from packaging.version import Version

from rules.engine.matching.conditions import Situation
from rules.engine.matching.hits import Hit, RuleHits
from rules.engine.paste.facts import Facts
from rules.engine.rule.model import (
    After,
    AllOf,
    AnyOf,
    FactTest,
    FactTestKind,
    Fired,
    Last,
    NoneOf,
)

HITS = RuleHits({"start": (Hit(3),), "error": (Hit(5), Hit(9)), "end": (Hit(7),)}, frozenset({"capped"}))
YES, NO = Fired("start"), Fired("absent")
UNKNOWN = FactTest("gpu", FactTestKind.IS, ("H100",))


def holds(condition, facts=None, captures=None, releases=()):
    return Situation(HITS, facts or Facts(), captures or {}, releases).holds(condition)


@pytest.mark.parametrize(
    ("condition", "outcome"),
    [
        (Fired("error", at_least=2), True),
        (Fired("error", at_least=3), False),
        (Fired("capped"), None),
        (After("start", "error"), True),
        (After("end", "start"), False),
        (After("start", "capped"), None),
        (Last("error", unless=("end",)), True),
        (Last("start", unless=("end",)), False),
        (Last("error", unless=("capped",)), None),
        (Last("absent"), False),
        (AllOf((YES, YES)), True),
        (AllOf((YES, UNKNOWN)), None),
        (AllOf((NO, UNKNOWN)), False),
        (AnyOf((YES, UNKNOWN)), True),
        (AnyOf((NO, UNKNOWN)), None),
        (AnyOf(()), False),
        (NoneOf((NO, NO)), True),
        (NoneOf((NO, UNKNOWN)), None),
        (NoneOf((YES, UNKNOWN)), False),
    ],
)
def test_parts_combine_with_three_outcomes(condition, outcome):
    assert holds(condition) is outcome


FACTS = Facts(
    vllm_version="0.11.2+cu128",
    compute_capability="10.0",
    model="Qwen/Qwen3-VL-8B",
    backend_requested="FLASHINFER",
    backend_selected="FLASH_ATTN",
    env={"VLLM_USE_V1": "0"},
    flags={"--dtype": "half"},
    packages={"flash-attn": "2.8.3"},
)


@pytest.mark.parametrize(
    ("fact", "kind", "values", "outcome"),
    [
        ("compute_capability", FactTestKind.AT_LEAST, ("9.0",), True),
        ("compute_capability", FactTestKind.BELOW, ("9.0",), False),
        ("compute_capability", FactTestKind.BELOW, ("10.3",), True),
        ("vllm_version", FactTestKind.WITHIN, (">=0.11.1,<0.13",), True),
        ("vllm_version", FactTestKind.WITHIN, (">=0.12",), False),
        ("model", FactTestKind.MATCHES, (r"Qwen3-VL",), True),
        ("env.VLLM_USE_V1", FactTestKind.IS, ("0",), True),
        ("env.OTHER", FactTestKind.IS, ("0",), None),
        ("flag.--dtype", FactTestKind.ONE_OF, ("float16", "half"), True),
        ("package.flash-attn", FactTestKind.AT_LEAST, ("2.8",), True),
        ("package.xformers", FactTestKind.KNOWN, (), False),
        ("gpu", FactTestKind.KNOWN, (), False),
        ("gpu", FactTestKind.IS, ("H100",), None),
        ("capture.backend", FactTestKind.IS, ("TRITON",), True),
        ("backend_selected", FactTestKind.DIFFERS, ("backend_requested",), True),
        ("backend_selected", FactTestKind.DIFFERS, ("gpu",), None),
        ("compute_capability", FactTestKind.AT_LEAST, ("not a number",), None),
        ("no_such_fact", FactTestKind.IS, ("x",), None),
    ],
)
def test_facts_are_compared_and_missing_ones_leave_it_open(fact, kind, values, outcome):
    assert holds(FactTest(fact, kind, values), FACTS, {"backend": "TRITON"}) is outcome


@pytest.mark.parametrize(("specifier", "outcome"), [(">=0.11", True), (">=0.12", None), (">=0.13", False)])
def test_an_unknown_release_decides_where_all_that_remain_agree(specifier, outcome):
    remaining = (Version("0.11.2"), Version("0.12.0"))

    assert holds(FactTest("vllm_version", FactTestKind.WITHIN, (specifier,)), releases=remaining) is outcome


def test_nothing_known_of_the_release_leaves_its_tests_open():
    assert holds(FactTest("vllm_version", FactTestKind.WITHIN, (">=0.11",))) is None
