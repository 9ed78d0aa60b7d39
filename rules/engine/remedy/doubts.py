"""Doubts: what a fix depends on and nobody said, with the words for it and the fact to ask for.

Not for asking.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from rules.engine.rule.model import AllOf, AnyOf, Condition, FactTest, FactTestKind, NoneOf
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
#: phrases of the two limits that make a range
_LIMITS = ("if.compute_capability.at_least", "if.compute_capability.below")
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
    for test, sense in _unknown_tests(condition, case, Sense.SO):
        found.setdefault(_doubt(test, sense))
    return _as_range(tuple(found))


class Sense(Enum):
    """What a test must come to for the condition to hold."""

    SO = 1
    NOT_SO = 2
    #: that depends on other tests, so that no sentence says it
    OPEN = 3


_OPPOSITE = {Sense.SO: Sense.NOT_SO, Sense.NOT_SO: Sense.SO, Sense.OPEN: Sense.OPEN}
_FLIPPED = {FactTestKind.AT_LEAST: FactTestKind.BELOW, FactTestKind.BELOW: FactTestKind.AT_LEAST}


def _unknown_tests(condition: Condition, case: Case, sense: Sense) -> Iterable[tuple[FactTest, Sense]]:
    if isinstance(condition, FactTest):
        # a platform that nobody names is CUDA: asking for it would cost a question that matters more
        if condition.fact != "platform" and case.holds(condition) is None:
            yield condition, sense
    elif isinstance(condition, AllOf | AnyOf | NoneOf):
        unknown = [part for part in condition.parts if case.holds(part) is None]
        inner = _OPPOSITE[sense] if isinstance(condition, NoneOf) else sense
        together = isinstance(condition, AllOf) is (sense is Sense.SO) or isinstance(condition, NoneOf)
        for part in unknown:
            yield from _unknown_tests(part, case, inner if together or len(unknown) == 1 else Sense.OPEN)


def _as_range(doubts: tuple[Doubt, ...]) -> tuple[Doubt, ...]:
    """Say two limits of the compute capability as one range: of doubts about the GPU only one is kept."""
    limits = {doubt.phrase: dict(doubt.values)["value"] for doubt in doubts if doubt.phrase in _LIMITS}
    if len(limits) < len(_LIMITS):
        return doubts
    both = (("low", limits[_LIMITS[0]]), ("high", limits[_LIMITS[1]]))
    rest = tuple(doubt for doubt in doubts if doubt.phrase not in _LIMITS)
    return (Doubt("gpu", "if.compute_capability.between", both), *rest)


def _doubt(test: FactTest, sense: Sense) -> Doubt:
    prefix, dot, name = test.fact.partition(".")
    asked = _ASKED_BY_PREFIX.get(prefix, "launch") if dot else _ASKED[test.fact]
    values = {"value": ", ".join(test.values), "name": name}
    subject = prefix if dot else test.fact
    kind = test.kind if sense is Sense.SO else _FLIPPED.get(test.kind) if sense is Sense.NOT_SO else None
    return Doubt(asked, f"if.{subject}.{kind.value}" if kind else None, tuple(values.items()))


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
