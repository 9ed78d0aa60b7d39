"""What a check is: a function over one rule that yields findings with their place.

Not for any check itself.
"""

import builtins
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from packaging.version import Version

from rules.engine.rule.catalogue import Catalogue
from rules.engine.rule.model import Fix, Rule, Signal
from rules.engine.rule.samples import Sample, read_samples
from rules.engine.rule.yaml_file import YamlFile, read_yaml
from rules.engine.versions import runs, select, specifier
from rules.releases.release import Releases


class Severity(StrEnum):
    """How much a finding weighs."""

    #: the rule may give a wrong answer, or none
    ERROR = "error"
    #: the rule could be better
    ADVICE = "advice"


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing wrong with a rule."""

    rule: str
    #: name of the check (`fixes`, `safety` ...)
    check: str
    severity: Severity
    file: Path
    #: from 1
    line: int
    #: what is wrong, one sentence
    message: str
    #: what to do about it, one sentence
    suggestion: str

    def __str__(self) -> str:
        head = f"{self.file}:{self.line}: {self.severity} [{self.check}] {self.rule}"
        return f"{head}: {self.message} {self.suggestion}"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check reports; the linter adds the rule, the file and the line."""

    message: str
    suggestion: str
    #: keys and indexes that lead to the value in rule.yaml (`("fixes", 0, "change")`)
    place: tuple[str | int, ...] = ()
    severity: Severity = Severity.ERROR
    #: another file than rule.yaml, relative to the rule's folder
    file: str | None = None
    #: line in that other file, from 1
    at: int = 1


@dataclass
class Context:
    """All that a check may look at."""

    catalogue: Catalogue
    releases: Releases
    _files: dict[str, YamlFile] = field(default_factory=dict)
    _samples: dict[str, list[Sample]] = field(default_factory=dict)
    _templates: dict[Version, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def shipped(self) -> tuple[Version, ...]:
        """Return the shipped releases, ascending."""
        return self.releases.versions()

    def templates(self, version: Version) -> frozenset[str]:
        """Return the texts that a release can raise or log, with `{}` for what varies."""
        if version not in self._templates:
            texts: set[str] = set()
            for message in self.releases.get(version).messages():
                texts.add(message.template)
                if not message.kind.startswith("log.") and not hasattr(builtins, message.kind):
                    texts.add(message.kind)  # Python prints the name of an exception before its text
            self._templates[version] = frozenset(texts)
        return self._templates[version]

    @cached_property
    def all_templates(self) -> frozenset[str]:
        """Return the texts of all releases, each once."""
        return frozenset().union(*(self.templates(version) for version in self.shipped))

    def line(self, rule: Rule, place: tuple[str | int, ...]) -> int:
        """Return the line of a value in the rule's file."""
        if rule.folder is None:
            return 1
        if rule.id not in self._files:
            self._files[rule.id] = read_yaml(rule.folder / "rule.yaml")
        return self._files[rule.id].line(place)

    def samples(self, rule: Rule) -> list[Sample]:
        """Return the samples beside a rule; unreadable ones are the samples check's business."""
        if rule.folder is None:
            return []
        if rule.id not in self._samples:
            self._samples[rule.id] = read_samples(rule.folder)[0]
        return self._samples[rule.id]

    def named(self, versions: Collection[Version]) -> str:
        """Return releases as ranges that a person can read, one per run."""
        return ", ".join(specifier(run, self.shipped) or "" for run in runs(versions, self.shipped))

    def releases_of(self, rule: Rule, part: Signal | Fix | None = None) -> tuple[Version, ...]:
        """Return the shipped releases of a rule, or of one of its signals or fixes within its range."""
        own = select(rule.releases, self.shipped)
        if part is None or part.releases is None:
            return own
        return tuple(version for version in select(part.releases, self.shipped) if version in own)


Check = Callable[[Rule, Context], Iterator[Finding]]
#: checks by name
Checks = Mapping[str, Check]
