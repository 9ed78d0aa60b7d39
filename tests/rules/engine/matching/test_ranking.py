"""The match on the root cause wins; consequences, wrappers and idle warnings never pass for it."""

import pytest

from rules.engine.matching.matches import Setting, find_matches, known_releases
from rules.engine.matching.ranking import Reason, confidence, rank
from rules.engine.paste.facts import Facts
from rules.engine.report import Confidence, Status
from rules.engine.rule.model import (
    AllOf,
    FactTest,
    FactTestKind,
    Fired,
    Impact,
    NoneOf,
    Origin,
    RuleStatus,
)
from rules.engine.seams import Failure
from tests.rules.engine.matching.handmade_rules import SHIPPED, evidence, matcher, rule, signal

ROOT = rule("root-rule", signal("deciding words", "deciding words"))
LATER = rule("later-rule", signal("later trouble", "later trouble"))
IDLE = rule("idle-rule", signal("variable ignored", "variable ignored"), impact=Impact.NO_EFFECT)
WRAPPER = rule("wrapper-rule", signal("see root cause above", "see root cause above"), asks_only=True)


def judge(rules, lines, failure=None, facts=None, printing=None):
    """Return the verdict on lines, and the failure it stands on."""
    failure = failure or Failure(root=0, told=frozenset({0}), vllm=True)
    by_id = {one.id: one for one in rules}
    hits = matcher(rules).match(evidence(*lines), failure.code)
    facts = facts or Facts()
    setting = Setting(failure, facts, SHIPPED, known_releases(facts, SHIPPED), printing)
    return rank(find_matches(hits, by_id.__getitem__, setting), hits, failure)


def reasons(verdict):
    return {one.rule: one.reason for one in verdict.rejected}


def test_the_rule_on_the_root_cause_is_diagnosed_and_the_other_is_ruled_out():
    verdict = judge([LATER, ROOT], ["deciding words", "later trouble"])

    assert verdict.status is Status.DIAGNOSED
    assert [match.rule.id for match in verdict.ranked] == ["root-rule"]
    assert reasons(verdict) == {"later-rule": Reason.ELSEWHERE}


def test_the_place_of_the_root_cause_decides_and_not_the_order_of_lines():
    failure = Failure(root=1, told=frozenset({1}), vllm=True)
    verdict = judge([LATER, ROOT], ["later trouble", "deciding words"], failure)

    assert [match.rule.id for match in verdict.ranked] == ["root-rule"]


def test_the_same_message_of_many_workers_is_one_match():
    failure = Failure(root=0, told=frozenset({0, 1, 2}), vllm=True)
    verdict = judge([ROOT], ["deciding words"] * 3, failure)

    assert len(verdict.ranked) == 1


def test_what_a_rule_absorbs_is_named_as_its_consequence():
    best = rule("root-rule", signal("deciding words", "deciding words"), absorbs=("later-rule",))
    verdict = judge([best, LATER], ["deciding words", "later trouble"])

    assert reasons(verdict)["later-rule"] is Reason.ABSORBED


def test_rivals_are_named_whether_silent_or_incomplete():
    best = rule("root-rule", signal("deciding words", "deciding words"), rivals=("later-rule", "half-rule"))
    half = rule(
        "half-rule",
        signal("half of it seen", "half of it seen"),
        signal("other half of it", "other half of it", name="other"),
        condition=AllOf((Fired("main"), Fired("other"))),
    )
    verdict = judge([best, LATER, half], ["deciding words", "half of it seen"])

    assert reasons(verdict) == {"later-rule": Reason.SILENT, "half-rule": Reason.INCOMPLETE}


def test_of_two_rules_on_one_line_the_surer_wins_and_the_other_is_outranked():
    vague = rule("a-vague-rule", signal("deciding words", "deciding words"), confidence=Confidence.LIKELY)
    verdict = judge([vague, ROOT], ["deciding words"])

    assert verdict.ranked[0].rule.id == "root-rule"
    assert reasons(verdict) == {"a-vague-rule": Reason.OUTRANKED}


def test_a_wrapper_alone_is_never_a_diagnosis():
    verdict = judge([WRAPPER], ["see root cause above"], Failure(wrappers=(0,), vllm=True))

    assert verdict.status is Status.NEED_MORE
    assert not verdict.ranked
    assert [one.id for one in verdict.wrappers] == ["wrapper-rule"]


def test_a_wrapper_beside_its_cause_is_ruled_out():
    verdict = judge([WRAPPER, ROOT], ["deciding words", "see root cause above"])

    assert verdict.status is Status.DIAGNOSED
    assert reasons(verdict) == {"wrapper-rule": Reason.WRAPPER}


def test_an_idle_warning_ranks_below_a_failure():
    verdict = judge([IDLE, ROOT], ["deciding words", "variable ignored"])

    assert [match.rule.id for match in verdict.ranked] == ["root-rule"]
    assert reasons(verdict) == {"idle-rule": Reason.NO_EFFECT}


def test_an_idle_warning_in_a_log_without_failure_is_the_diagnosis():
    verdict = judge([IDLE], ["fine", "variable ignored"], Failure(vllm=True))

    assert verdict.status is Status.DIAGNOSED
    assert [match.rule.id for match in verdict.ranked] == ["idle-rule"]


def test_an_idle_warning_does_not_explain_a_failure_that_no_rule_knows():
    verdict = judge([IDLE], ["SomeError: new", "variable ignored"])

    assert verdict.status is Status.UNKNOWN
    assert not verdict.ranked


def test_a_rule_that_fires_away_from_an_unknown_root_cause_is_no_diagnosis():
    verdict = judge([LATER], ["SomeError: new", "later trouble"])

    assert verdict.status is Status.UNKNOWN
    assert reasons(verdict) == {"later-rule": Reason.ELSEWHERE}


def test_a_rule_on_the_chain_of_the_root_cause_is_at_most_likely():
    failure = Failure(root=0, told=frozenset({0}), chain=frozenset({1}), vllm=True)
    verdict = judge([LATER], ["KeyError: 'x'", "later trouble"], failure)

    assert verdict.status is Status.DIAGNOSED
    assert confidence(verdict.ranked[0], failure) is Confidence.LIKELY


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (Failure(root=0, told=frozenset({0}), vllm=True), Status.UNKNOWN),
        (Failure(root=0, told=frozenset({0})), Status.NOT_AN_INCIDENT),
        (Failure(hidden=True, vllm=True), Status.NEED_MORE),
        (Failure(hidden=True), Status.NOT_AN_INCIDENT),
        (Failure(wrappers=(0,), vllm=True), Status.NEED_MORE),
        (Failure(vllm=True), Status.NOT_AN_INCIDENT),
        (Failure(), Status.NOT_AN_INCIDENT),
    ],
)
def test_without_a_match_the_structure_decides(failure, status):
    assert judge([ROOT], ["nothing that a rule knows"], failure).status is status


def test_a_condition_that_needs_missing_facts_gives_a_possible_diagnosis_and_asks():
    unsure = rule(
        "unsure",
        signal("deciding words", "deciding words"),
        condition=AllOf((Fired("main"), FactTest("gpu", FactTestKind.IS, ("T4",)))),
    )
    failure = Failure(root=0, told=frozenset({0}), vllm=True)
    verdict = judge([unsure], ["deciding words"], failure)

    assert verdict.status is Status.NEED_MORE
    assert confidence(verdict.ranked[0], failure) is Confidence.POSSIBLE


def test_a_condition_that_is_false_is_no_match():
    other = rule("other", signal("deciding words", "deciding words"), condition=NoneOf((Fired("main"),)))

    assert judge([other], ["deciding words"]).status is Status.UNKNOWN


@pytest.mark.parametrize(
    ("origin", "vllm", "foreign", "expected"),
    [
        (Origin.VLLM, True, None, Confidence.CERTAIN),
        (Origin.VLLM, False, None, Confidence.CERTAIN),
        (Origin.TORCH, True, None, Confidence.CERTAIN),
        (Origin.TORCH, False, None, Confidence.LIKELY),
    ],
)
def test_text_that_others_print_too_is_less_sure_unless_the_paste_is_plainly_vllms(
    origin, vllm, foreign, expected
):
    one = rule("one", signal("deciding words", "deciding words"), origin=origin)
    failure = Failure(root=0, told=frozenset({0}), vllm=vllm, foreign=foreign)

    assert confidence(judge([one], ["deciding words"], failure).ranked[0], failure) is expected


def test_text_that_others_print_too_is_no_incident_when_another_program_printed_it():
    one = rule("one", signal("deciding words", "deciding words"), origin=Origin.TORCH)
    failure = Failure(root=0, told=frozenset({0}), foreign="ComfyUI")

    assert judge([one], ["deciding words"], failure).status is Status.NOT_AN_INCIDENT


def test_an_experimental_rule_is_at_most_likely():
    one = rule("one", signal("deciding words", "deciding words"), status=RuleStatus.EXPERIMENTAL)
    failure = Failure(root=0, told=frozenset({0}), vllm=True)

    assert confidence(judge([one], ["deciding words"], failure).ranked[0], failure) is Confidence.LIKELY


ERAS = rule(
    "eras",
    signal("old wording of it", "old wording of it", name="old", releases="<0.11.1"),
    signal("new wording of it", "new wording of it", name="new", releases=">=0.11.1,<0.13"),
    condition=Fired("new"),
)


def test_the_wording_tells_the_releases():
    verdict = judge([ERAS], ["new wording of it"])

    assert [str(version) for version in verdict.ranked[0].situation.releases] == [
        "0.11.1",
        "0.11.2",
        "0.12.0",
    ]


def test_release_facts_narrow_the_releases_further():
    verdict = judge([ERAS], ["new wording of it"], printing=lambda rule, captures, candidates: candidates[1:])

    assert [str(version) for version in verdict.ranked[0].situation.releases] == ["0.11.2", "0.12.0"]


def test_a_wording_of_another_era_than_the_known_release_is_kept_but_not_certain():
    failure = Failure(root=0, told=frozenset({0}), vllm=True)
    verdict = judge([ERAS], ["new wording of it"], failure, Facts(vllm_version="0.8.5"))

    assert not verdict.ranked[0].in_era
    assert [str(version) for version in verdict.ranked[0].situation.releases] == ["0.8.5"]
    assert confidence(verdict.ranked[0], failure) is Confidence.LIKELY


def test_of_two_rules_with_one_text_the_one_of_the_known_release_wins():
    first = rule("first", signal("deciding words", "deciding words"), releases="<0.11")
    second = rule("second", signal("deciding words", "deciding words"), releases=">=0.11")
    verdict = judge([first, second], ["deciding words"], facts=Facts(vllm_version="0.12.0"))

    assert verdict.ranked[0].rule.id == "second"


def test_a_build_between_releases_is_judged_by_both_neighbours():
    verdict = judge([ROOT], ["deciding words"], facts=Facts(vllm_version="0.11.2.dev5"))

    assert [str(version) for version in verdict.ranked[0].situation.releases] == ["0.11.1", "0.11.2"]
