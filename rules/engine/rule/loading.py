"""Loads a catalogue from folders of files; every fault is collected with file and line. Not for lint."""

import re
from pathlib import Path

from pydantic import ValidationError

from rules.engine.rule.catalogue import SHIPPED, Catalogue, FailureClass, content_hash
from rules.engine.rule.conditions import read_condition
from rules.engine.rule.faults import CatalogueError, Fault
from rules.engine.rule.model import (
    ChangeTemplate,
    Condition,
    Fix,
    Impact,
    Pick,
    ProofTemplate,
    Question,
    Rule,
    Scope,
    Signal,
    Text,
)
from rules.engine.rule.samples import Sample, read_samples
from rules.engine.rule.schema import ChangeShape, FixShape, PickShape, RuleShape
from rules.engine.rule.texts import read_texts
from rules.engine.rule.yaml_file import Place, YamlFile, read_yaml

#: blanks that folding puts between Chinese characters
_BETWEEN_WIDE = re.compile(r"(?<=[\u2e80-\uffef]) (?=[\u2e80-\uffef])")


def load_catalogue(folder: Path = SHIPPED, private: Path | None = None) -> Catalogue:
    """Load the shipped rules and, under the same checks, an operator's own from a second folder.

    Raises `CatalogueError` with every fault of every file.
    """
    folders = [folder, *([private] if private else [])]
    faults: list[Fault] = []
    rules: dict[str, Rule] = {}
    for path in [path for one in folders for path in sorted(one.rglob("rule.yaml"))]:
        rule = load_rule(path.parent, faults)
        if rule is None:
            continue
        if rule.id in rules:
            faults.append(
                Fault(path, 1, f"the id `{rule.id}` is taken by {rules[rule.id].folder}: choose another")
            )
        rules[rule.id] = rule
    phrases = _load_phrases(folder / "phrases", faults)
    classes = _load_classes(folder / "classes.yaml", faults)
    if faults:
        raise CatalogueError(tuple(sorted(faults, key=lambda fault: (str(fault.file), fault.line))))
    ordered = tuple(rules[rule_id] for rule_id in sorted(rules))
    return Catalogue(ordered, phrases, classes, content_hash(folders))


def load_rule(folder: Path, faults: list[Fault]) -> Rule | None:
    """Load one rule from its folder.

    Faults are added to the list, and None is returned when it cannot be built.
    """
    read = read_yaml(folder / "rule.yaml")
    shape = _validate(read)
    texts, text_faults = read_texts(folder / "text")
    rule = _rule(shape, read, texts, folder) if shape else None
    if rule and rule.id != folder.name:
        read.fault(("id",), f"must be the name of its folder, `{folder.name}`")
    if rule and not (set(_signal_names(rule.condition)) <= {signal.name for signal in rule.signals}):
        unknown = sorted(set(_signal_names(rule.condition)) - {signal.name for signal in rule.signals})
        read.fault(("condition",), f"names signals that are not defined: {', '.join(unknown)}")
    faults.extend(read.faults)
    faults.extend(text_faults)
    return rule


def load_samples(rule: Rule) -> list[Sample]:
    """Return the samples beside a rule. Raises `CatalogueError` when one cannot be read."""
    if rule.folder is None:
        return []
    samples, faults = read_samples(rule.folder)
    if faults:
        raise CatalogueError(tuple(faults))
    return samples


def _validate(read: YamlFile) -> RuleShape | None:
    if read.faults:
        return None
    if not isinstance(read.data, dict):
        read.fault((), "must hold a mapping with `id`, `signals` and so on")
        return None
    try:
        return RuleShape.model_validate(read.data)
    except ValidationError as error:
        for one in error.errors(include_url=False):
            place = tuple(part for part in one["loc"] if part not in ("str", "PickShape"))
            name = ".".join(str(part) for part in place)
            read.fault(place, f"`{name}`: {one['msg']}")
        return None


def _rule(shape: RuleShape, read: YamlFile, texts: dict[str, Text], folder: Path) -> Rule:
    # what stops nothing is a warning; what stops a start is an exception's message or an error
    scope = Scope.RECORD if shape.impact is Impact.NO_EFFECT else Scope.CAUSE
    signals = tuple(
        Signal(one.name, one.regex, one.literal, one.releases, one.scope or scope) for one in shape.signals
    )
    fixes = tuple(_fix(one, ("fixes", index), read) for index, one in enumerate(shape.fixes))
    ask = tuple(
        Question(one.fact, _condition(one.when, ("ask", index, "when"), read))
        for index, one in enumerate(shape.ask)
    )
    return Rule(
        id=shape.id,
        version=shape.version,
        status=shape.status,
        failure_class=shape.failure_class,
        family=shape.family,
        origin=shape.origin,
        impact=shape.impact,
        confidence=shape.confidence,
        releases=shape.releases,
        signals=signals,
        condition=read_condition(shape.condition, ("condition",), read),
        fixes=fixes,
        texts=texts,
        asks_only=shape.asks_only,
        ask=ask,
        absorbs=shape.absorbs,
        rivals=shape.rivals,
        false_positives=shape.false_positives,
        references=shape.references,
        tower=shape.tower,
        folder=folder,
    )


def _fix(shape: FixShape, place: Place, read: YamlFile) -> Fix:
    proofs = tuple(ProofTemplate(one.kind, one.part, one.text, one.absent) for one in shape.verify)
    return Fix(
        id=shape.id,
        kind=shape.kind,
        releases=shape.releases,
        risk=shape.risk,
        relaunchable=shape.relaunchable,
        when=_condition(shape.when, (*place, "when"), read),
        change=_change(shape.change),
        phrase=shape.phrase,
        values=shape.values,
        part=shape.part,
        needs=shape.needs,
        target=shape.target,
        verify=proofs,
        toward=shape.toward,
    )


def _change(shape: ChangeShape | None) -> ChangeTemplate | None:
    if shape is None:
        return None

    def value(one: str | PickShape) -> str | Pick:
        return one if isinstance(one, str) else Pick(one.pick, one.prefer)

    return ChangeTemplate(
        env_unset=shape.env_unset,
        env_set={name: value(one) for name, one in shape.env_set.items()},
        flags_set={name: value(one) for name, one in shape.flags_set.items()},
        flags_unset=shape.flags_unset,
    )


def _condition(value: object, place: Place, read: YamlFile) -> Condition | None:
    return None if value is None else read_condition(value, place, read)


def _signal_names(condition: Condition) -> list[str]:
    parts = getattr(condition, "parts", None)
    if parts is not None:
        return [name for part in parts for name in _signal_names(part)]
    names = [getattr(condition, slot, None) for slot in ("signal", "first", "then")]
    return [name for name in [*names, *getattr(condition, "unless", ())] if isinstance(name, str)]


def _load_phrases(folder: Path, faults: list[Fault]) -> dict[str, dict[str, str]]:
    phrases: dict[str, dict[str, str]] = {}
    for path in sorted(folder.glob("*.yaml")):
        read = read_yaml(path)
        data = read.data if isinstance(read.data, dict) else {}
        for name, text in data.items():
            if not isinstance(text, str):
                read.fault((name,), f"`{name}` must be text")
        faults.extend(read.faults)
        phrases[path.stem] = {
            str(name): _BETWEEN_WIDE.sub("", str(text).strip()) for name, text in data.items()
        }
    return phrases


def _load_classes(path: Path, faults: list[Fault]) -> tuple[FailureClass, ...]:
    if not path.exists():
        return ()
    read = read_yaml(path)
    found: list[FailureClass] = []
    for family, classes in (read.data or {}).items():
        for name, description in classes.items():
            if not isinstance(description, str):
                read.fault((family, name), f"`{name}` needs a description in one sentence")
            found.append(FailureClass(str(name), str(family), str(description).strip()))
    faults.extend(read.faults)
    return tuple(found)
