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
    #: per key, places in `signals`; none for a mark of trouble
    owners: tuple[tuple[int, ...], ...]


#: what tells the lines of a large log that are read, with those round them, beside those with keys
TROUBLE_MARKS = (
    " ERROR ", "ERROR:", "CRITICAL", "Traceback (most recent call last)", "Error: ", "Exception: ",
    "core dumped", "Segmentation fault", "terminate called", "Fatal Python error", "fatal error",
    "error: argument ", "error: unrecognized arguments", "During handling of the above",
    "was the direct cause of the",
)  # fmt: skip
#: what tells lines that are read by themselves, for facts of the launch
FACT_MARKS = (
    "version ", "LLM engine (v", "non-default args", "Namespace(", "VLLM_ATTENTION_BACKEND",
    "--attention-backend", "Application startup complete", "CUDA Version: ", "compute capability",
)  # fmt: skip


def build_index(rules: Iterable[Rule], calm: Iterable[str] = ()) -> SignalIndex:
    """Return the table of the rules that are not retired, and of marks that belong to no signal.

    `calm` are texts that logs hold without trouble: the better they are known, the faster is the scan.

    Raises `UnprovenLiteralError` when a pattern can match without the literal its signal claims.
    """
    # patterns are parsed only when a catalogue is compiled, never on the warm path
    from rules.engine.matching.scan.literals import TailCounts, ignores_case, key_of, prove  # noqa: PLC0415

    counts = TailCounts(calm)
    signals: list[IndexedSignal] = []
    owners: dict[Key, list[int]] = {}
    for rule in rules:
        if rule.status is RuleStatus.RETIRED:
            continue
        for signal in rule.signals:
            prove(signal.regex, signal.literal)
            caseless = ignores_case(signal.regex)
            key = Key(key_of(signal.literal, counts, caseless=caseless), caseless)
            owners.setdefault(key, []).append(len(signals))
            signals.append(IndexedSignal(rule.id, signal.name, signal.regex, signal.scope))
    for mark in (*TROUBLE_MARKS, *FACT_MARKS):
        owners.setdefault(Key(mark.encode()), [])
    return SignalIndex(tuple(signals), tuple(owners), tuple(tuple(places) for places in owners.values()))
