"""Turns faults into findings: words, and fixes that are true for the release. Not for finding faults."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rules.engine.diagnose import Engine, Parts
from rules.engine.matching.verifying import Matcher
from rules.engine.preflight.findings import Finding
from rules.engine.preflight.launch_facts import facts_of
from rules.engine.reader import PasteReader
from rules.engine.remedy.answerer import RemedyAnswerer
from rules.engine.remedy.launch import requests
from rules.engine.remedy.launch.commands import commands
from rules.engine.remedy.launch.container import pull
from rules.engine.remedy.launch.masked import canonical
from rules.engine.remedy.resolve import SETTINGS
from rules.engine.remedy.words import Words
from rules.engine.report import Change, FixKind, Proof, ProofKind, Remedy
from rules.engine.seams import FactsFound
from rules.engine.versions import runs, select, specifier

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from packaging.version import Version

    from rules.engine.compiled import CompiledCatalogue
    from rules.engine.paste.evidence import Evidence
    from rules.engine.paste.facts import Facts, Given
    from rules.engine.preflight.case import Case
    from rules.engine.preflight.faults import Edit, Fault
    from rules.engine.report import Diagnosis
    from rules.engine.rule.catalogue import Catalogue
    from rules.engine.seams import Failure
    from rules.releases.model import Flag
    from rules.releases.release import Releases

#: begins the ids of phrases that stand for those of a paste
_OURS = "preflight.instead."
#: fixes of one finding
_MOST_FIXES = 5


class _Told:
    """A reader that is told the facts, instead of looking for them in a text."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._reader = PasteReader()

    def clean(self, text: str, *, unwrap: bool) -> Evidence:
        return self._reader.clean(text, unwrap=unwrap)

    def failure(self, evidence: Evidence) -> Failure:
        return self._reader.failure(evidence)

    def facts(self, evidence: Evidence, given: Given, language: str) -> FactsFound:  # noqa: ARG002 - a protocol
        return FactsFound(self._facts)


class Answers:
    """Words and fixes from a catalogue and the facts of the releases."""

    def __init__(self, compiled: CompiledCatalogue, releases: Releases) -> None:
        self.releases = releases
        self._compiled = compiled
        self._catalogue = _of_launches(compiled.catalogue())
        self._scanner = compiled.scanner()

    def words(self, language: str) -> Words:
        """Return the shared phrases in a language."""
        return Words(self._catalogue.phrases, language)

    def finding(self, fault: Fault, case: Case, versions: Sequence[Version], language: str) -> Finding:
        """Return a fault in words, with its fixes in the order to try."""
        words = self.words(language)
        told = self._diagnosis(fault, case, versions, language)
        own = [self._remedy(edit, case, versions, words) for edit in fault.edits]
        others = list(told.fixes) if told is not None else []
        if told is None or told.rule == fault.rule:
            # a general rule only says that the flag must go
            found = own + ([one for one in others if one.change is not None] if own else others)
        else:
            found = others + own
        return Finding(
            rule=told.rule if told is not None else fault.rule,
            failure_class=told.failure_class if told is not None else fault.failure_class,
            severity=fault.severity,
            text=self.text(fault, versions, language),
            fixes=tuple(_distinct(found)[:_MOST_FIXES]),
        )

    def text(self, fault: Fault, versions: Sequence[Version], language: str) -> str:
        """Return a fault in words, for the releases that have it."""
        words, shipped = self.words(language), self.releases.versions()
        if len(versions) == len(shipped):
            release = words.say("preflight.any-release")
        else:
            release = f"vLLM {spans(versions, shipped)}"
        return words.say(f"preflight.{fault.phrase}", {"release": release, **fault.values})

    def _diagnosis(
        self, fault: Fault, case: Case, versions: Sequence[Version], language: str
    ) -> Diagnosis | None:
        """Return what the rules say of the text that vLLM prints when it meets the fault."""
        if fault.printed is None:
            return None
        facts = facts_of(case, versions)
        parts = Parts(
            reader=_Told(facts),
            matcher=Matcher(self._compiled.index, self._scanner),
            rule_of=self._compiled.rule,
            answerer=RemedyAnswerer(self._catalogue, self.releases),
            shipped=self.releases.versions(),
        )
        report = Engine(parts).diagnose(fault.printed, language=language)
        first = report.diagnoses[0] if report.diagnoses else None
        return first if first is not None and first.in_era and _same(first, fault) else None

    def _remedy(self, edit: Edit, case: Case, versions: Sequence[Version], words: Words) -> Remedy:
        facts = facts_of(case, versions, edit.stray)
        change = _canonical(edit.change)
        settings = change is not None and edit.kind in SETTINGS
        values = {"removed": "", "setting": "", "value": "", **edit.values}
        return Remedy(
            id=edit.id,
            kind=edit.kind,
            summary=words.say(edit.phrase, values),
            releases=specifier(versions, self.releases.versions()) or "",
            relaunchable=settings,
            risk=edit.risk,
            change=change,
            commands=tuple(self._commands(edit, change, facts, versions, words)),
            verify=(
                (Proof(ProofKind.HTTP, requests.models(facts), words.say("expect.models")),)
                if settings
                else ()
            ),
        )

    def _commands(
        self, edit: Edit, change: Change | None, facts: Facts, versions: Sequence[Version], words: Words
    ) -> Iterator[str]:
        if change is not None:
            covered = [self.releases.get(version) for version in versions]

            def find(name: str) -> Flag | None:
                found = [release.flag(name) for release in covered]
                return found[-1] if found and all(found) else None

            yield from commands(change, facts, find)
        elif edit.kind is FixKind.UPGRADE:
            target = edit.values.get("target", "")
            if not facts.container:
                yield words.command("fix.upgrade", {"target": target})
            elif (wanted := select(target, self.releases.versions())) and (
                line := pull(facts, str(wanted[0]))
            ):
                yield line


def spans(versions: Sequence[Version], shipped: Sequence[Version]) -> str:
    """Return releases as runs of neighbours, alike in every language: `0.6.3, 0.11.1\u20130.33.0`."""
    ends = ((run[0], run[-1]) for run in runs(versions, shipped))
    return ", ".join(str(first) if first == last else f"{first}\u2013{last}" for first, last in ends)


def _of_launches(catalogue: Catalogue) -> Catalogue:
    """Return the catalogue with words for a launch where its own speak of a paste."""
    phrases = {
        language: {
            **own,
            **{key.removeprefix(_OURS): text for key, text in own.items() if key.startswith(_OURS)},
        }
        for language, own in catalogue.phrases.items()
    }
    return replace(catalogue, phrases=phrases)


def _same(diagnosis: Diagnosis, fault: Fault) -> bool:
    return diagnosis.rule == fault.rule or diagnosis.failure_class == fault.failure_class


def _canonical(change: Change | None) -> Change | None:
    if change is None:
        return None
    kept = set(change.flags_set)
    unset = tuple(name for one in change.flags_unset if (name := canonical(one)) not in kept)
    return replace(change, flags_unset=unset)


def _distinct(fixes: Sequence[Remedy]) -> list[Remedy]:
    """Return the fixes without those that change the same or upgrade the same; the better proven one stays."""
    found: dict[object, Remedy] = {}
    for fix in fixes:
        if fix.change is not None:
            key: object = (_plain(fix.change), fix.releases)
        else:
            key = fix.kind if fix.kind in (FixKind.UPGRADE, FixKind.DOWNGRADE) else (fix.kind, fix.summary)
        known = found.get(key)
        if known is None or len(fix.verify) > len(known.verify):
            found[key] = fix
    return list(found.values())


def _plain(change: Change) -> tuple[object, ...]:
    """Return what a change does, so that two of them can be compared."""
    settings = (tuple(sorted(one.items())) for one in (change.env_set, change.flags_set))
    return (*settings, frozenset(change.env_unset), frozenset(change.flags_unset))
