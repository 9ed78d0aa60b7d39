"""The catalogue: rules, shared phrases and classes, with a hash that names this state.

Not for reading files.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from rules.engine.rule.model import Rule
from rules.engine.rule.plain import from_plain, to_plain

#: where the shipped rules lie
SHIPPED = Path(__file__).parents[2] / "catalogue"


@dataclass(frozen=True, slots=True)
class FailureClass:
    """One class of failures: the word that every diagnosis carries."""

    name: str
    family: str
    #: one sentence
    description: str


@dataclass(frozen=True)
class Catalogue:
    """All rules that are loaded, with the words they share."""

    rules: tuple[Rule, ...]
    #: shared phrases by language and id; `commands` holds what is never translated
    phrases: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    classes: tuple[FailureClass, ...] = ()
    #: names the content of the files; equal content gives an equal hash
    hash: str = ""

    def rule(self, rule_id: str) -> Rule | None:
        """Return a rule, None when there is none of this id."""
        return next((rule for rule in self.rules if rule.id == rule_id), None)

    def to_plain(self) -> dict[str, Any]:
        """Return the catalogue as data that JSON can hold."""
        return {
            "hash": self.hash,
            "rules": [to_plain(rule) for rule in self.rules],
            "phrases": {language: dict(phrases) for language, phrases in self.phrases.items()},
            "classes": [[one.name, one.family, one.description] for one in self.classes],
        }

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Self:
        """Return the catalogue that `to_plain` was called on."""
        return cls(
            rules=tuple(from_plain(rule) for rule in data["rules"]),
            phrases=data["phrases"],
            classes=tuple(FailureClass(*one) for one in data["classes"]),
            hash=data["hash"],
        )


def content_hash(folders: Iterable[Path]) -> str:
    """Return a hash over the names and bytes of all files of a catalogue, samples left out; needs no YAML."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted([*folder.rglob("*.yaml"), *folder.rglob("text/*.md")]):
            content = path.read_bytes()
            digest.update(f"{path.relative_to(folder)}\0{len(content)}\0".encode())
            digest.update(content)
        digest.update(b"\1")
    return digest.hexdigest()
