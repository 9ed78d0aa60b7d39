"""Rules as plain data (dicts, lists, strings) and back, so that a warm start needs no YAML.

Not for editing.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from rules.engine import report
from rules.engine.rule import model

_RECORDS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        model.Rule, model.Signal, model.Fired, model.After, model.Last, model.FactTest, model.AllOf,
        model.AnyOf, model.NoneOf, model.Pick, model.ChangeTemplate, model.ProofTemplate, model.Fix,
        model.Text, model.Question,
    )
}  # fmt: skip
_ENUMS: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        model.RuleStatus, model.Origin, model.Impact, model.Scope, model.FactTestKind, model.Toward,
        report.Confidence, report.FixKind, report.ProofKind, report.Risk,
    )
}  # fmt: skip
_KEY = "$"


def to_plain(value: Any) -> Any:  # noqa: ANN401 - any part of a rule
    """Return a record of a rule as plain data that JSON can hold."""
    if isinstance(value, Enum):
        return {_KEY: type(value).__name__, "v": value.value}
    if value is None or isinstance(value, str | int | bool):
        return value
    if isinstance(value, tuple):
        return [to_plain(part) for part in value]
    if isinstance(value, Path):
        return {_KEY: "Path", "v": str(value)}
    if isinstance(value, Mapping):
        return {name: to_plain(part) for name, part in value.items()}
    if is_dataclass(value):
        parts = [to_plain(getattr(value, part.name)) for part in fields(value)]
        return {_KEY: type(value).__name__, "v": parts}
    raise TypeError(f"{type(value).__name__} is not part of a rule")


def from_plain(value: Any) -> Any:  # noqa: ANN401 - any part of a rule
    """Return what `to_plain` was given.

    Raises `KeyError` or `TypeError` when the data is of another program version.
    """
    if isinstance(value, list):
        return tuple(from_plain(part) for part in value)
    if not isinstance(value, dict):
        return value
    name = value.get(_KEY)
    if name is None:
        return {key: from_plain(part) for key, part in value.items()}
    if name == "Path":
        return Path(value["v"])
    if name in _ENUMS:
        return _ENUMS[name](value["v"])
    return _RECORDS[name](*(from_plain(part) for part in value["v"]))
