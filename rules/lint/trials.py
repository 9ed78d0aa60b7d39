"""Runs the samples of the rules through the whole engine: `rules test`. Not for checking the rules' files."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from rules.engine.paste.facts import Given
from rules.engine.report import Report
from rules.engine.rule.catalogue import Catalogue
from rules.engine.rule.loading import load_samples
from rules.engine.rule.model import Rule
from rules.engine.rule.samples import Sample

_NOTHING: Mapping[str, str] = {}


class Diagnoser(Protocol):
    """What runs a sample: the engine."""

    def diagnose(self, data: bytes | str, given: Given = ..., language: str = ...) -> Report:
        """Return the report on a paste."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of one sample."""

    rule: str
    sample: Path
    #: what was expected and did not come, one sentence each; empty: it passed
    faults: tuple[str, ...]


def run_samples(catalogue: Catalogue, engine: Diagnoser) -> tuple[Trial, ...]:
    """Run every sample of every rule, in the order of rules and names.

    Raises `CatalogueError` for unreadable ones.
    """
    return tuple(
        Trial(rule.id, sample.path, tuple(_faults(rule, sample, run_sample(sample, engine))))
        for rule in catalogue.rules
        for sample in load_samples(rule)
    )


def run_sample(sample: Sample, engine: Diagnoser) -> Report:
    """Diagnose one sample with the facts of its header."""
    headers = sample.headers
    given = Given(
        vllm_version=headers.get("release"),
        gpu=headers.get("gpu"),
        model=headers.get("model"),
        env=sample.pairs("env") or _NOTHING,
        command=headers.get("command"),
    )
    return engine.diagnose(sample.text, given, headers.get("language", "en"))


def _faults(rule: Rule, sample: Sample, report: Report) -> Iterator[str]:
    status = sample.headers.get("status")
    if status and report.status.value != status:
        yield f"The status is {report.status}, not {status}."
    if sample.kind == "silent":
        if any(diagnosis.rule == rule.id for diagnosis in report.diagnoses):
            yield "It was diagnosed with this rule."
        return
    if rule.asks_only:
        if not report.ask:
            yield "Nothing is asked."
        return
    first = report.diagnoses[0] if report.diagnoses else None
    if first is None or first.rule != rule.id:
        yield f"The first diagnosis is {first.rule if first else 'none'}."
        return
    for name, value in sample.pairs("captures").items():
        if first.captures.get(name) != value:
            yield f"The capture {name} is {first.captures.get(name)!r}, not {value!r}."
    offered = list(dict.fromkeys(fix.id for fix in first.fixes))
    wanted = list(sample.words("fix"))
    if [fix for fix in offered if fix in wanted] != wanted:
        yield f"The fixes are {', '.join(offered) or 'none'}; wanted in this order: {', '.join(wanted)}."
    for fix in sample.words("not-fix"):
        if fix in offered:
            yield f"The fix {fix} is offered."
