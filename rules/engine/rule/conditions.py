"""Reads the condition of a rule from its YAML form. Not for evaluating it.

A condition is the name of a signal, or a mapping with one of `all`, `any`, `none` (lists of conditions),
`count` (`{count: NAME, at_least: N}`), `after` (`{after: FIRST, then: NAME}`), `last`
(`{last: NAME, unless: [NAME]}`) or `fact` (`{fact: compute_capability, at_least: "8.0"}`).
"""

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
from rules.engine.rule.yaml_file import Place, YamlFile

_GROUPS: dict[str, type[AllOf] | type[AnyOf] | type[NoneOf]] = {"all": AllOf, "any": AnyOf, "none": NoneOf}
_KNOWN_FACTS = {
    "vllm_version", "gpu", "compute_capability", "platform", "architecture", "model",
    "backend_requested", "backend_selected", "stage",
}  # fmt: skip
_FACT_PREFIXES = ("env.", "flag.--", "package.", "capture.")


def read_condition(value: object, place: Place, read: YamlFile) -> Condition:
    """Return the condition.

    What is wrong with it is noted in `read`, and a condition that is never true stands in.
    """
    if isinstance(value, str):
        return Fired(value)
    if not isinstance(value, dict) or not value:
        read.fault(place, "a condition is the name of a signal or a mapping such as `{all: [...]}`")
        return AnyOf(())
    for name, group in _GROUPS.items():
        if name in value:
            _only(value, {name}, place, read)
            return group(_parts(value[name], (*place, name), read))
    if "fact" in value:
        return _fact(value, place, read)
    return _signal_condition(value, place, read)


def _parts(value: object, place: Place, read: YamlFile) -> tuple[Condition, ...]:
    if not isinstance(value, list) or not value:
        read.fault(place, "needs a list of conditions with at least one")
        return ()
    return tuple(read_condition(part, (*place, index), read) for index, part in enumerate(value))


def _signal_condition(value: dict[str, object], place: Place, read: YamlFile) -> Condition:
    if "count" in value:
        _only(value, {"count", "at_least"}, place, read)
        at_least = value.get("at_least", 1)
        if not isinstance(at_least, int) or at_least < 1:
            read.fault((*place, "at_least"), "needs a whole number from 1 on")
            at_least = 1
        return Fired(_name(value["count"], (*place, "count"), read), at_least)
    if "after" in value:
        _only(value, {"after", "then"}, place, read)
        first = _name(value["after"], (*place, "after"), read)
        return After(first, _name(value.get("then"), (*place, "then"), read))
    if "last" in value:
        _only(value, {"last", "unless"}, place, read)
        unless = value.get("unless", [])
        if not isinstance(unless, list):
            read.fault((*place, "unless"), "needs a list of signals")
            unless = []
        names = tuple(_name(name, (*place, "unless"), read) for name in unless)
        return Last(_name(value["last"], (*place, "last"), read), names)
    read.fault(
        place, f"`{next(iter(value))}` is no condition; use all, any, none, count, after, last or fact"
    )
    return AnyOf(())


def _fact(value: dict[str, object], place: Place, read: YamlFile) -> Condition:
    fact = str(value["fact"])
    if fact not in _KNOWN_FACTS and not fact.startswith(_FACT_PREFIXES):
        read.fault((*place, "fact"), f"`{fact}` is no fact; use one of {', '.join(sorted(_KNOWN_FACTS))}, "
                   "env.NAME, flag.--name, package.NAME or capture.NAME")  # fmt: skip
    tests = [name for name in value if name != "fact"]
    kinds = {kind.value: kind for kind in FactTestKind}
    if len(tests) != 1 or tests[0] not in kinds:
        read.fault(place, f"a fact needs exactly one of {', '.join(kinds)}")
        return AnyOf(())
    kind = kinds[tests[0]]
    return FactTest(fact, kind, _values(value[tests[0]], kind, (*place, tests[0]), read))


def _values(value: object, kind: FactTestKind, place: Place, read: YamlFile) -> tuple[str, ...]:
    if kind is FactTestKind.KNOWN:
        if value is not True:
            read.fault(place, "`known` takes only true; put it under `none` for the opposite")
        return ()
    if isinstance(value, list):
        if kind is not FactTestKind.ONE_OF:
            read.fault(place, f"`{kind.value}` takes one value")
        if not all(isinstance(one, str) for one in value):
            read.fault(place, "quote the values, so that YAML does not read them as numbers")
        return tuple(str(one) for one in value)
    if not isinstance(value, str):
        read.fault(
            place, f'quote the value (`{kind.value}: "{value}"`), so that YAML does not read it as a number'
        )
    return (str(value),)


def _name(value: object, place: Place, read: YamlFile) -> str:
    if not isinstance(value, str):
        read.fault(place, "needs the name of a signal")
        return ""
    return value


def _only(value: dict[str, object], allowed: set[str], place: Place, read: YamlFile) -> None:
    for name in value:
        if name not in allowed:
            read.fault((*place, name), f"`{name}` does not go with `{next(iter(sorted(allowed)))}`")
