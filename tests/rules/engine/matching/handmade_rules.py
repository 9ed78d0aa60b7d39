"""Small rules, evidence and answers for the tests of matching. Not the shipped catalogue."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from packaging.version import Version

from rules.engine.matching.scan.index import SignalIndex, build_index
from rules.engine.matching.scan.scanner import Scanner, make_scanner
from rules.engine.matching.verifying import DEFAULT_LIMITS, Limits, Matcher
from rules.engine.paste.evidence import Evidence, EvidenceLine
from rules.engine.paste.facts import Facts, Given
from rules.engine.reader import PasteReader
from rules.engine.report import Ask, Confidence
from rules.engine.rule.model import (
    Condition,
    Fired,
    Impact,
    Origin,
    Rule,
    RuleStatus,
    Scope,
    Signal,
    Text,
)
from rules.engine.seams import Answer, Case, FactsFound

SHIPPED = tuple(
    Version(text) for text in ("0.6.3", "0.8.5", "0.11.0", "0.11.1", "0.11.2", "0.12.0", "0.13.0", "0.33.0")
)


def signal(
    regex: str, literal: str, name: str = "main", releases: str | None = None, scope: Scope = Scope.CAUSE
) -> Signal:
    return Signal(name, regex, literal, releases, scope)


def rule(rule_id: str, *signals: Signal, condition: Condition | None = None, **changes: object) -> Rule:
    made = Rule(
        id=rule_id,
        version=1,
        status=RuleStatus.STABLE,
        failure_class=f"class-of-{rule_id}",
        family="other",
        origin=Origin.VLLM,
        impact=Impact.BLOCKS_START,
        confidence=Confidence.CERTAIN,
        releases=">=0.6.3",
        signals=signals,
        condition=condition or Fired(signals[0].name),
        fixes=(),
        texts={"en": Text("title", "cause", "not this")},
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def matcher(
    rules: Iterable[Rule], scanner: Scanner | None = None, limits: Limits = DEFAULT_LIMITS
) -> Matcher:
    index = build_index(rules)
    return Matcher(index, scanner or make_scanner(index.keys), limits)


def index_of(*rules: Rule) -> SignalIndex:
    return build_index(rules)


def evidence(*texts: str, level: str | None = None) -> Evidence:
    return Evidence(tuple(EvidenceLine(number, text, level=level) for number, text in enumerate(texts, 1)))


class ReleaseOnlyReader(PasteReader):
    """Reads everything but facts, of which only the given release counts."""

    def facts(self, evidence: Evidence, given: Given, language: str) -> FactsFound:
        return FactsFound(Facts(vllm_version=given.vllm_version, env=given.env))


class PlainAnswerer:
    """Answers with the ids of rules, so that a test sees which case it was given."""

    def answer(self, case: Case) -> Answer:
        releases = ",".join(str(version) for version in case.releases)
        ask = Ask("gpu", "why", "nvidia-smi")
        return Answer(case.rule.id, f"{releases}|{case.facts.vllm_version}", (), (ask,))

    def questions(self, rules: Sequence[Rule], facts: Facts, language: str) -> tuple[Ask, ...]:
        return (Ask("first-exception", f"asked by {[rule.id for rule in rules]}", "cat vllm.log"),)
