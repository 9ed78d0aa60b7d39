"""Doubts: what a fix depends on and nobody said, with the words for it and the fact to ask for.

Not for asking.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rules.engine.rule.model import AllOf, AnyOf, Condition, FactTest, NoneOf
from rules.engine.seams import Case

#: the fact that is asked for, by what a condition tests
_ASKED = {
    "compute_capability": "gpu",
    "gpu": "gpu",
    "architecture": "architecture",
    "platform": "platform",
    "vllm_version": "vllm_version",
    "model": "model",
    "backend_requested": "launch",
    "backend_selected": "start-up-log",
}
_ASKED_BY_PREFIX = {"env": "launch", "flag": "launch", "package": "packages"}


@dataclass(frozen=True, slots=True)
class Doubt:
    """One thing that must be so for a fix to work."""

    #: name of the fact that would settle it
    fact: str
    #: id of the phrase that says the condition; None: nothing to say
    phrase: str | None
    values: tuple[tuple[str, str], ...] = ()


def doubts_of(condition: Condition, case: Case) -> tuple[Doubt, ...]:
    """Return the doubts that make a condition unknown, each once."""
    found: dict[Doubt, None] = {}
    for test in _unknown_tests(condition, case):
        found.setdefault(_doubt(test))
    return tuple(found)


def _unknown_tests(condition: Condition, case: Case) -> Iterable[FactTest]:
    if isinstance(condition, FactTest):
        # a platform that nobody names is CUDA: asking for it would cost a question that matters more
        if condition.fact != "platform" and case.holds(condition) is None:
            yield condition
    elif isinstance(condition, AllOf | AnyOf | NoneOf):
        for part in condition.parts:
            if case.holds(part) is None:
                yield from _unknown_tests(part, case)


def _doubt(test: FactTest) -> Doubt:
    prefix, dot, name = test.fact.partition(".")
    asked = _ASKED_BY_PREFIX.get(prefix, "launch") if dot else _ASKED[test.fact]
    values = {"value": ", ".join(test.values), "name": name}
    subject = prefix if dot else test.fact
    return Doubt(asked, f"if.{subject}.{test.kind.value}", tuple(values.items()))


def merged(doubts: Iterable[Doubt]) -> tuple[Doubt, ...]:
    """Return doubts without repeats.

    Of two about the GPU the first, which is the more telling one, is kept.
    """
    kept: dict[str, Doubt] = {}
    rest: dict[Doubt, None] = {}
    for doubt in doubts:
        if doubt.fact in ("gpu", "architecture"):
            kept.setdefault(doubt.fact, doubt)
        rest.setdefault(doubt)
    return tuple(doubt for doubt in rest if kept.get(doubt.fact, doubt) == doubt)


def as_mapping(doubt: Doubt) -> Mapping[str, str]:
    """Return the values of a doubt's phrase."""
    return dict(doubt.values)
