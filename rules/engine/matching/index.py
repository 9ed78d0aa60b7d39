"""The signals of a catalogue as one table, with the keys of the prefilter. Not for scanning or verifying."""

from collections.abc import Iterable
from dataclasses import dataclass

from rules.engine.rule.model import Rule, RuleStatus, Scope


@dataclass(frozen=True, slots=True)
class Key:
    """A text that the prefilter looks for."""

    data: bytes
    #: True: `data` is lower-case ASCII and stands for every spelling
    caseless: bool = False


@dataclass(frozen=True, slots=True)
class IndexedSignal:
    """A signal and where it belongs."""

    rule: str
    name: str
    regex: str
    scope: Scope


@dataclass(frozen=True, slots=True)
class SignalIndex:
    """All signals, and for each key the places of the signals that stand on it."""

    signals: tuple[IndexedSignal, ...]
    keys: tuple[Key, ...]
    #: per key, places in `signals`
    owners: tuple[tuple[int, ...], ...]


def build_index(rules: Iterable[Rule]) -> SignalIndex:
    """Return the table of the rules that are not retired.

    Raises `UnprovenLiteralError` when a pattern can match without the literal its signal claims.
    """
    # patterns are parsed only when a catalogue is compiled, never on the warm path
    from rules.engine.matching.literals import ignores_case, key_of, prove  # noqa: PLC0415

    signals: list[IndexedSignal] = []
    owners: dict[Key, list[int]] = {}
    for rule in rules:
        if rule.status is RuleStatus.RETIRED:
            continue
        for signal in rule.signals:
            prove(signal.regex, signal.literal)
            caseless = ignores_case(signal.regex)
            key = Key(key_of(signal.literal, caseless=caseless), caseless)
            owners.setdefault(key, []).append(len(signals))
            signals.append(IndexedSignal(rule.id, signal.name, signal.regex, signal.scope))
    return SignalIndex(tuple(signals), tuple(owners), tuple(tuple(places) for places in owners.values()))
