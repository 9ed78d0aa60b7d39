"""Says how each fix is proven in one release: the log line it prints after that fix, or a request.

Not for running it.
"""

import shlex
from dataclasses import dataclass, field
from functools import lru_cache

from rules.engine.remedy.building import TOWER_FLAG, VARIABLE, origin_open, told_by_message, tower_label
from rules.engine.remedy.launch import requests
from rules.engine.remedy.launch.container import inside
from rules.engine.remedy.machine import completions, text_machine, tower_machine
from rules.engine.remedy.words import fill, placeholders
from rules.engine.report import Change, ProofKind
from rules.engine.rule.model import ProofTemplate
from rules.engine.seams import Case
from rules.releases.model import ChosenBy, Part
from rules.releases.release import Release, Where

#: the file that the offered commands write the new log to
LOG = "vllm.log"
#: answers that are kept: pastes ask the same questions again and again
_REMEMBERED = 2048
#: more alternatives than this prove nothing
_MOST_LINES = 4
_TEXT_FLAG = "--attention-backend"


@dataclass(frozen=True, slots=True)
class Proving:
    """A proof before it is put into words."""

    kind: ProofKind
    command: str
    #: id of the phrase that says what must come
    expect: str
    values: tuple[tuple[str, str], ...] = field(default=())
    #: texts of which the new log holds one
    lines: tuple[str, ...] = field(default=())
    #: texts that the new log does not hold
    absent: tuple[str, ...] = field(default=())


def prove(
    templates: tuple[ProofTemplate, ...], change: Change, release: Release, case: Case
) -> tuple[Proving, ...]:
    """Return the proofs of a change; a log line that the release does not print after it is left out."""
    found = [_prove(template, change, release, case) for template in templates]
    return tuple(proof for proof in found if proof)


def _prove(template: ProofTemplate, change: Change, release: Release, case: Case) -> Proving | None:
    if template.kind is ProofKind.HTTP:
        return Proving(ProofKind.HTTP, requests.models(case.facts), "expect.models")
    if template.kind is ProofKind.INFERENCE:
        image = template.part == Part.TOWER
        expect = "expect.image" if image else "expect.completion"
        return Proving(ProofKind.INFERENCE, requests.completion(case.facts, image=image), expect)
    if template.kind is ProofKind.COMMAND:
        command = fill(template.text or "", case.captures)
        shown = inside(case.facts, command) if case.facts.container else command
        return Proving(ProofKind.COMMAND, shown, f"expect.{command.split()[0]}")
    return _log(template, change, release, case)


def _log(template: ProofTemplate, change: Change, release: Release, case: Case) -> Proving | None:
    if template.text is not None:
        if not placeholders(template.text) <= case.captures.keys():
            return None
        text = fill(template.text, case.captures)
        expect = "expect.line-absent" if template.absent else "expect.line"
        flags = "-cF" if template.absent else "-F"
        command = f"grep {flags} {shlex.quote(text)} {LOG}"
        named = (("line", text),)
        if template.absent:
            return Proving(ProofKind.LOG, command, expect, named, absent=(text,))
        return Proving(ProofKind.LOG, command, expect, named, (text,))
    part = Part(template.part or Part.TEXT)
    lines = _lines(part, change, release, case)
    if not lines:
        return None
    patterns = (
        " ".join(f"-e {shlex.quote(line)}" for line in lines) if len(lines) > 1 else shlex.quote(lines[0])
    )
    expect = "expect.line" if len(lines) == 1 else "expect.one-line"
    shown = " / ".join(f"`{line}`" for line in lines) if len(lines) > 1 else lines[0]
    return Proving(ProofKind.LOG, f"grep -F {patterns} {LOG}", expect, (("line", shown),), lines)


def _lines(part: Part, change: Change, release: Release, case: Case) -> tuple[str, ...]:
    """Return the lines of which one follows the change; empty when the release promises none."""
    platform = case.facts.platform or "cuda"
    setting, asked = _asked_for(part, change, release, case)
    if asked:
        line = release.selection_line(part, asked, ChosenBy.USER, platform)
        guessed = setting == VARIABLE and setting not in change.env_set and origin_open(case, release)
        own = _own_lines(part, release, case) if guessed else ()
        return (line, *own) if line and bool(own) == guessed else ()
    return _own_lines(part, release, case)


def _own_lines(part: Part, release: Release, case: Case) -> tuple[str, ...]:
    """Return the lines of which one follows where nothing asks for a backend."""
    if part is Part.TEXT:
        return _text_lines(release, text_machine(case.facts), frozenset(case.facts.packages))
    return _tower_lines(release, tower_machine(case.facts, tower_label(case, release)))


def _asked_for(part: Part, change: Change, release: Release, case: Case) -> tuple[str, str | None]:
    """Return what asks for a backend in this part once the change is made, and for which one.

    None: the release chooses.
    """
    for setting in (TOWER_FLAG, _TEXT_FLAG, VARIABLE):
        if part not in release.reach(setting).parts or setting in (*change.env_unset, *change.flags_unset):
            continue
        value = {**_launched(case, release, change), **change.env_set, **change.flags_set}.get(setting)
        if value:
            return setting, value.upper()
    return "", None


def _launched(case: Case, release: Release, change: Change) -> dict[str, str]:
    """Return what the launch sets, and the variable where the message shows that it is set."""
    facts = case.facts
    # where the encoder's own flag is dropped, that is what asked for the backend
    told = None if TOWER_FLAG in change.flags_unset else told_by_message(case, release)
    return {**({VARIABLE: told} if told else {}), **facts.env, **facts.flags}


@lru_cache(maxsize=_REMEMBERED)
def _text_lines(release: Release, where: Where, installed: frozenset[str]) -> tuple[str, ...]:
    """Return the lines of which one tells the release's own choice for the language model."""
    backends: set[str] = set()
    for machine in completions(where, of_architecture=False):
        order = release.text_order(machine)
        if not order:
            return ()
        backends.update(_reachable(order, release, installed))
    return _auto_lines(release, Part.TEXT, backends, where.platform)


def _reachable(order: tuple[str, ...], release: Release, installed: frozenset[str]) -> list[str]:
    """Return what can be taken of an order: the first, and the next where its package may be missing."""
    found = []
    for name in order:
        found.append(name)
        backend = release.backend(name)
        package = backend.package if backend else None
        if package is None or package in installed or release.requirement(package) is not None:
            break
    return found


@lru_cache(maxsize=_REMEMBERED)
def _tower_lines(release: Release, where: Where) -> tuple[str, ...]:
    """Return the lines of which one tells the release's own choice for the encoder."""
    choices = [release.tower_default(machine) for machine in completions(where)]
    if any(choice is None for choice in choices):
        return ()
    backends = {choice.backend for choice in choices if choice}
    return _auto_lines(release, Part.TOWER, backends, where.platform)


def _auto_lines(release: Release, part: Part, backends: set[str], platform: str) -> tuple[str, ...]:
    """Return the lines of all the backends; none where one of them is chosen without a word."""
    lines = {release.selection_line(part, backend, ChosenBy.AUTO, platform) for backend in backends}
    if None in lines or len(lines) > _MOST_LINES:
        return ()
    return tuple(sorted(line for line in lines if line))
