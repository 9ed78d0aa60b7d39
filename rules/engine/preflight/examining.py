"""The preflight of one launch: every check in every release that is possible. Not for the checks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rules.engine.preflight.answering import spans
from rules.engine.preflight.case import Case
from rules.engine.preflight.checks import CHECKS
from rules.engine.preflight.findings import Finding, Findings, Remark, RemarkKind, Severity
from rules.engine.preflight.possible import possible
from rules.engine.preflight.reading.config_file import with_config_file
from rules.engine.preflight.reading.parsing import parse
from rules.engine.preflight.remarks import dropped_gpu, remarks
from rules.engine.preflight.setting import Known, Machine
from rules.engine.preflight.shown import masked_value
from rules.engine.versions import specifier

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from packaging.version import Version

    from rules.engine.preflight.answering import Answers
    from rules.engine.preflight.faults import Fault
    from rules.engine.preflight.reading.launch import Launch

_ORDER = tuple(Severity)
#: faults of some releases that are said while the release is unknown
_MOST_SAID = 4


def examine(launch: Launch, known: Known, answers: Answers, language: str = "en") -> Findings:
    """Return what is wrong with a launch, what would mend it, and what was not checked.

    While several releases are possible only what holds in all of them is a finding; a remark says which of them
    take the launch.
    """
    machine = _machine(launch, known)
    unread = known.gpu if known.gpu and Machine.named(known.gpu) is None else None
    known = replace(known, machine=machine)
    releases = possible(launch, known, answers, language)
    cases = [_case(launch, known, answers, version) for version in releases.versions]
    faults = {case.version: tuple(_faults(case)) for case in cases}
    chosen, notes = _common(faults, answers, language)
    newest = cases[-1] if cases else None
    covered: Sequence[Version] = releases.versions
    if newest is not None and chosen and all(fault in faults[newest.version] for fault in chosen):
        covered = _covered(chosen, faults)
    findings = [answers.finding(fault, newest, covered, language) for fault in chosen] if newest else []
    words = answers.words(language)
    model = newest.parsed.model if newest else None
    told = specifier(releases.versions, answers.releases.versions()) if releases.is_told else None
    return Findings(
        language=language,
        vllm_version=releases.one,
        vllm_versions=told,
        findings=tuple(_sorted(findings)),
        remarks=(
            *releases.remarks,
            *dropped_gpu(unread, words),
            *notes,
            *remarks(launch, known, cases, words),
        ),
        model=masked_value("--model", model) if model else None,
    )


def _machine(launch: Launch, known: Known) -> Machine:
    """Return the machine as it was told; the image says the platform where nobody did."""
    machine = (Machine.named(known.gpu) if known.gpu else None) or known.machine
    if machine.platform is not None:
        return machine
    return replace(machine, platform=Machine.of_image(launch.image).platform)


def _case(launch: Launch, known: Known, answers: Answers, version: Version) -> Case:
    release = answers.releases.get(version)
    whole = with_config_file(launch, known.config_files)
    parsed = parse(release, whole.words, serve=launch.is_serve)
    return Case(release, answers.releases, whole, parsed, known)


def _faults(case: Case) -> Iterator[Fault]:
    seen = set()
    for check in CHECKS:
        for fault in check(case):
            if fault.identity not in seen:
                seen.add(fault.identity)
                yield fault


def _common(
    faults: dict[Version, tuple[Fault, ...]], answers: Answers, language: str
) -> tuple[tuple[Fault, ...], list[Remark]]:
    """Return the faults that all releases share, and what to say of those that not all have."""
    if len(faults) < 2:
        return next(iter(faults.values()), ()), []
    newest = list(faults.values())[-1]
    shared = set.intersection(*({fault.identity for fault in one} for one in faults.values()))
    common = tuple(fault for fault in newest if fault.identity in shared)
    sound = [version for version, one in faults.items() if not any(_blocks(fault) for fault in one)]
    words = answers.words(language)
    notes = list(_in_some(faults, shared, answers, language))
    if any(_blocks(fault) for fault in common) or len(sound) == len(faults):
        return common, notes
    if not sound:
        text = words.say("preflight.note.no-release")
        blocking = tuple(fault for fault in newest if _blocks(fault) and fault not in common)
        return (*common, *blocking), [Remark(RemarkKind.CONTRADICTION, text)]
    taken = spans(sound, answers.releases.versions())
    text = words.say("preflight.note.some-releases", {"releases": taken})
    return common, [Remark(RemarkKind.SOME_RELEASES, text), *notes]


def _in_some(
    faults: dict[Version, tuple[Fault, ...]],
    shared: set[tuple[str, str, str]],
    answers: Answers,
    language: str,
) -> Iterator[Remark]:
    """Yield what some of the possible releases would say, what stops the start first."""
    newest_with = {(fault.identity, fault.phrase): fault for one in faults.values() for fault in one}
    others = [fault for (identity, _), fault in newest_with.items() if identity not in shared]
    for fault in sorted(others, key=lambda one: _ORDER.index(one.severity))[:_MOST_SAID]:
        versions = [
            version
            for version, one in faults.items()
            if any((fault.identity, fault.phrase) == (other.identity, other.phrase) for other in one)
        ]
        yield Remark(RemarkKind.SOME_RELEASES, answers.text(fault, versions, language))


def _covered(chosen: Sequence[Fault], faults: dict[Version, tuple[Fault, ...]]) -> tuple[Version, ...]:
    """Return the releases that have all the chosen faults: of those alone fixes may speak."""
    wanted = {fault.identity for fault in chosen}
    return tuple(version for version, one in faults.items() if wanted <= {fault.identity for fault in one})


def _blocks(fault: Fault) -> bool:
    return fault.severity is Severity.BLOCKS_START


def _sorted(findings: Sequence[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: _ORDER.index(finding.severity))
