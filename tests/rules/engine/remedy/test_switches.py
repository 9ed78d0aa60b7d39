"""A flag that takes no value is set by a rule with an empty text."""

import dataclasses

import pytest
from packaging.version import Version

from rules.engine.matching.conditions import Situation
from rules.engine.matching.hits import RuleHits
from rules.engine.paste.facts import Facts
from rules.engine.remedy.answerer import RemedyAnswerer
from rules.engine.report import FixKind, Risk
from rules.engine.rule.loading import load_catalogue
from rules.engine.rule.model import ChangeTemplate, Fix
from rules.engine.rule.schema import ChangeShape
from rules.engine.seams import Case
from rules.releases.shipped import load_releases

SWITCH = "--disable-cascade-attn"
CATALOGUE = load_catalogue()


def test_a_rule_may_set_a_flag_to_an_empty_text():
    assert ChangeShape.model_validate({"flags_set": {SWITCH: ""}}).flags_set == {SWITCH: ""}


@pytest.mark.parametrize("release", ["0.8.5", "0.11.2", "0.31.0"])
def test_it_is_said_and_written_without_a_value(release):
    fix = Fix("off", FixKind.SET_FLAG, ">=0.8.2,<0.32", Risk.PERFORMANCE, True,
              change=ChangeTemplate(flags_set={SWITCH: ""}))  # fmt: skip
    rule = dataclasses.replace(CATALOGUE.rule("vit-backend-rejected"), fixes=(fix,))
    facts = Facts(model="m", vllm_version=release)
    versions = (Version(release),)
    situation = Situation(RuleHits({}), facts, {}, versions)
    case = Case(rule, {}, facts, versions, "en", situation.holds)

    (remedy,) = RemedyAnswerer(CATALOGUE, load_releases()).answer(case).fixes

    assert remedy.change is not None
    assert remedy.change.flags_set == {SWITCH: ""}
    assert remedy.commands == (f"vllm serve m {SWITCH} 2>&1 | tee vllm.log",)
    assert remedy.summary.startswith(f"Start the server with {SWITCH}. ")
