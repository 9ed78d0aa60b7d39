"""Conditions of rules: true, false, or None where a fact is missing. Not for ranking what holds."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from packaging.version import Version

from rules.engine.matching.hits import RuleHits
from rules.engine.paste.facts import Facts
from rules.engine.rule.model import (
    After,
    AllOf,
    AnyOf,
    Condition,
    FactTest,
    FactTestKind,
    Fired,
    Last,
    NoneOf,
)
from rules.engine.versions import parse_version, within


@dataclass(frozen=True, slots=True)
class Situation:
    """What a condition is asked about."""

    hits: RuleHits
    facts: Facts
    captures: Mapping[str, str]
    #: shipped releases that the evidence allows; empty: nothing is known of the release
    releases: tuple[Version, ...] = ()

    def holds(self, condition: Condition) -> bool | None:
        """Return whether the condition holds, None when that depends on what is unknown."""
        return _evaluate(condition, self)


def _evaluate(condition: Condition, situation: Situation) -> bool | None:
    match condition:
        case Fired():
            return _fired(condition, situation.hits)
        case After():
            return _after(condition, situation.hits)
        case Last():
            return _last(condition, situation.hits)
        case FactTest():
            return _fact(condition, situation)
        case AllOf(parts):
            return _all(_evaluate(part, situation) for part in parts)
        case AnyOf(parts) | NoneOf(parts):
            outcome = _any(_evaluate(part, situation) for part in parts)
            return outcome if isinstance(condition, AnyOf) else _not(outcome)


def _all(values: Iterable[bool | None]) -> bool | None:
    outcomes = set(values)
    if False in outcomes:
        return False
    return None if None in outcomes else True


def _any(values: Iterable[bool | None]) -> bool | None:
    outcomes = set(values)
    if True in outcomes:
        return True
    return None if None in outcomes else False


def _not(value: bool | None) -> bool | None:  # noqa: FBT001  # the value is what the function is about
    return None if value is None else not value


def _fired(condition: Fired, hits: RuleHits) -> bool | None:
    if len(hits.of(condition.signal)) >= condition.at_least:
        return True
    return None if condition.signal in hits.uncertain else False


def _after(condition: After, hits: RuleHits) -> bool | None:
    first, then = hits.of(condition.first), hits.of(condition.then)
    if first and then and then[-1].line > first[0].line:
        return True
    return None if {condition.first, condition.then} & hits.uncertain else False


def _last(condition: Last, hits: RuleHits) -> bool | None:
    fired = hits.of(condition.signal)
    if not fired:
        return None if condition.signal in hits.uncertain else False
    later = any(hit.line > fired[-1].line for signal in condition.unless for hit in hits.of(signal)[-1:])
    if later:
        return None if condition.signal in hits.uncertain else False
    return None if hits.uncertain.intersection(condition.unless) else True


def _fact(test: FactTest, situation: Situation) -> bool | None:
    value = _value(test.fact, situation)
    if test.kind is FactTestKind.KNOWN:
        return (value is not None) is (test.values[:1] != ("false",))
    if value is None:
        return _by_releases(test, situation.releases) if test.fact == "vllm_version" else None
    if test.kind is FactTestKind.DIFFERS:
        other = _value(test.values[0], situation)
        return None if other is None else other != value
    return _TESTS[test.kind](value, test.values)


def _by_releases(test: FactTest, releases: tuple[Version, ...]) -> bool | None:
    """Decide a test of the release where all releases that remain agree."""
    if test.kind not in _TESTS:
        return None
    outcomes = {_TESTS[test.kind](str(release), test.values) for release in releases}
    return outcomes.pop() if len(outcomes) == 1 else None


_PREFIXES: Mapping[str, Callable[[Situation], Mapping[str, str]]] = {
    "env": lambda situation: situation.facts.env,
    "flag": lambda situation: situation.facts.flags,
    "package": lambda situation: situation.facts.packages,
    "capture": lambda situation: situation.captures,
}

#: facts that a test may name
PLAIN_FACTS = frozenset(
    {
        "vllm_version",
        "gpu",
        "compute_capability",
        "platform",
        "architecture",
        "model",
        "backend_requested",
        "backend_selected",
        "stage",
    }
)


def _value(fact: str, situation: Situation) -> str | None:
    prefix, dot, name = fact.partition(".")
    if dot and prefix in _PREFIXES:
        return _PREFIXES[prefix](situation).get(name)
    if fact not in PLAIN_FACTS:
        return None
    value: str | None = getattr(situation.facts, fact)
    return value


def _at_least(value: str, limits: tuple[str, ...]) -> bool | None:
    # capabilities (`10.0`) and releases are ordered alike, part by part
    mine, limit = parse_version(value), parse_version(limits[0])
    return None if mine is None or limit is None else mine >= limit


def _below(value: str, limits: tuple[str, ...]) -> bool | None:
    return _not(_at_least(value, limits))


def _within(value: str, specifiers: tuple[str, ...]) -> bool | None:
    version = parse_version(value)
    return None if version is None else within(version, ",".join(specifiers))


def _matches(value: str, patterns: tuple[str, ...]) -> bool | None:
    # imported here, for few conditions need it
    import re2  # noqa: PLC0415

    return any(re2.search(pattern, value) is not None for pattern in patterns)


_TESTS: Mapping[FactTestKind, Callable[[str, tuple[str, ...]], bool | None]] = {
    FactTestKind.IS: lambda value, values: value == values[0],
    FactTestKind.ONE_OF: lambda value, values: value in values,
    FactTestKind.AT_LEAST: _at_least,
    FactTestKind.BELOW: _below,
    FactTestKind.WITHIN: _within,
    FactTestKind.MATCHES: _matches,
}
