"""Joins what a paste states with what was given beside it: the paste wins, what is unreadable is noted."""

from types import MappingProxyType
from typing import Final

from rules.engine.gpus import Gpu, read_gpu
from rules.engine.paste.evidence import Evidence, NoteDraft, NoteKind
from rules.engine.paste.fact_reading.backends import LITERALS as BACKEND_LITERALS
from rules.engine.paste.fact_reading.backends import read_requested, read_selected
from rules.engine.paste.fact_reading.launches import LITERALS as LAUNCH_LITERALS
from rules.engine.paste.fact_reading.launches import Launch, read_launch
from rules.engine.paste.fact_reading.machines import LITERALS as MACHINE_LITERALS
from rules.engine.paste.fact_reading.machines import Machine, read_machine
from rules.engine.paste.fact_reading.packages import read_packages
from rules.engine.paste.fact_reading.page import Page, any_of
from rules.engine.paste.fact_reading.releases import LITERALS as RELEASE_LITERALS
from rules.engine.paste.fact_reading.releases import (
    choose_release,
    read_given_release,
    read_releases,
    read_series,
)
from rules.engine.paste.fact_reading.stages import LITERALS as STAGE_LITERALS
from rules.engine.paste.fact_reading.stages import read_stage
from rules.engine.paste.fact_reading.told_launch import read_told_launch
from rules.engine.paste.facts import Facts, Given
from rules.engine.paste.masking import mask

#: a longer given value is cut where it is quoted in a remark
_LONGEST_VALUE: Final = 200
_LITERALS: Final = any_of(
    *RELEASE_LITERALS, *MACHINE_LITERALS, *BACKEND_LITERALS, *LAUNCH_LITERALS, *STAGE_LITERALS
)


def read_facts(evidence: Evidence, given: Given | None = None) -> tuple[Facts, tuple[NoteDraft, ...]]:
    """Return what is known, and remarks on what contradicts or could not be read.

    A value of the paste wins over the given one. Phrases of the remarks and their values: `two-releases`,
    `two-releases-unused`, `two-gpus-unused`, `two-values` (first, second, name for a variable; the first
    is used unless the phrase says not), `given-release-overruled`, `given-gpu-overruled` (paste, given),
    `release-unreadable`, `release-incomplete`, `gpu-unreadable`, `command-unreadable` (given).
    """
    given = given or Given()
    page = Page(evidence.lines, _LITERALS)
    notes: list[NoteDraft] = []
    version, series = _release(page, given, notes)
    launch = _launch(page, given, notes)
    machine = _machine(page, version, given, notes)
    facts = Facts(
        vllm_version=version,
        vllm_series=series,
        gpu=machine.gpu,
        compute_capability=machine.capability,
        platform=machine.platform,
        architecture=machine.architecture,
        model=launch.model or (mask(given.model)[0] if given.model else None),
        env=MappingProxyType(dict(sorted(launch.env.items()))),
        argv=launch.argv,
        container=launch.container,
        flags=MappingProxyType(dict(sorted(launch.flags.items()))),
        backend_requested=read_requested(page, launch.flags, launch.env),
        backend_selected=read_selected(page),
        stage=read_stage(page),
        packages=MappingProxyType(read_packages(page)),
    )
    return facts, tuple(notes)


def _note(kind: NoteKind, phrase: str, **values: str) -> NoteDraft:
    shown = {name: mask(value[:_LONGEST_VALUE])[0] for name, value in values.items()}
    return NoteDraft(kind, phrase, MappingProxyType(shown))


def _release(page: Page, given: Given, notes: list[NoteDraft]) -> tuple[str | None, str | None]:
    version, contradiction = choose_release(read_releases(page))
    own_series = read_series(page) if version is None and contradiction is None else None
    if contradiction is not None:
        first, second = contradiction
        phrase = "two-releases-unused" if version is None else "two-releases"
        notes.append(_note(NoteKind.CONTRADICTION, phrase, first=first, second=second))
    if given.vllm_version is None or not given.vllm_version.strip():
        return version, own_series
    stated, series = read_given_release(given.vllm_version)
    if stated is None and series is None:
        notes.append(_note(NoteKind.DROPPED_INPUT, "release-unreadable", given=given.vllm_version))
        return version, own_series
    if version is None:
        if series is not None:
            notes.append(_note(NoteKind.DROPPED_INPUT, "release-incomplete", given=given.vllm_version))
        return stated, series or (own_series if stated is None else None)
    if stated is not None and stated.partition("+")[0] != version.partition("+")[0]:
        notes.append(_note(NoteKind.CONTRADICTION, "given-release-overruled", paste=version, given=stated))
    return version, None


def _launch(page: Page, given: Given, notes: list[NoteDraft]) -> Launch:
    launch = read_launch(page)
    for name, (first, second) in sorted(launch.ambiguous.items()):
        notes.append(_note(NoteKind.CONTRADICTION, "two-values", name=name, first=first, second=second))
    if given.command:
        told = read_told_launch(mask(given.command)[0])
        if told is None:
            notes.append(_note(NoteKind.DROPPED_INPUT, "command-unreadable", given=given.command))
        else:
            if not launch.argv:
                launch.argv, launch.container = told.argv, told.container
            launch.model = launch.model or told.model
            launch.flags = {**told.flags, **launch.flags}
            launch.env = {**told.env, **launch.env}
    launch.env = {**{name: _masked(name, value) for name, value in given.env.items()}, **launch.env}
    return launch


def _masked(name: str, value: str) -> str:
    """Return the value of a variable, masked if its name or its form says that it is secret."""
    return mask(f"{name}={value}")[0].partition("=")[2] if value else value


def _machine(page: Page, version: str | None, given: Given, notes: list[NoteDraft]) -> Machine:
    machine = read_machine(page, version)
    if machine.contradiction is not None:
        first, second = machine.contradiction
        notes.append(_note(NoteKind.CONTRADICTION, "two-gpus-unused", first=first, second=second))
    if given.gpu is None or not given.gpu.strip():
        return machine
    stated = read_gpu(given.gpu)
    if stated is None or stated == Gpu(platform=stated.platform):
        notes.append(_note(NoteKind.DROPPED_INPUT, "gpu-unreadable", given=given.gpu))
        stated = stated or Gpu()
    if machine.capability and stated.capability and machine.capability != stated.capability:
        notes.append(
            _note(
                NoteKind.CONTRADICTION,
                "given-gpu-overruled",
                paste=machine.gpu or machine.capability,
                given=given.gpu,
            )
        )
        return machine
    elsewhere = machine.platform and stated.platform and machine.platform != stated.platform
    if machine.gpu is not None or elsewhere:
        return machine
    return Machine(
        mask(given.gpu.strip()[:_LONGEST_VALUE])[0] if stated.product else None,
        machine.capability or stated.capability,
        machine.platform or stated.platform,
        machine.architecture or stated.architecture,
    )
