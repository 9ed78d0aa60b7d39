"""Flags and words that the release does not take. Not for values of flags that it does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rules.engine.preflight.checks.history import flag_elsewhere
from rules.engine.preflight.checks.nearest import nearest
from rules.engine.preflight.checks.words.json_values import KEYS_ARE_CHECKED, OTHER_TEXTS, broken_words
from rules.engine.preflight.checks.words.successors import successor
from rules.engine.preflight.faults import Edit, Fault
from rules.engine.preflight.findings import Severity
from rules.engine.preflight.reading.options import Problem, ProblemKind
from rules.engine.preflight.reading.parsing import option_table
from rules.engine.preflight.shown import shown
from rules.engine.report import Change, FixKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.engine.preflight.case import Case

CLASS = "cli-arg-invalid"
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,40}\Z")
_FLAG_NAME = re.compile(r"--?[A-Za-z0-9][A-Za-z0-9_.+-]*\Z")
#: nobody reads more of them, and each is compared with every flag there is
_MOST_SAID = 12
#: how alike a misspelt flag and the real one must be
_ALIKE = 0.78


def check(case: Case) -> Iterator[Fault]:
    """Yield a fault for each reason for which the parser ends the program."""
    broken = broken_words(case)
    for problem in _distinct(case.parsed.problems)[:_MOST_SAID]:
        if case.is_open(problem.spelled) or problem.spelled in broken:
            continue
        fault = _KINDS[problem.kind](case, problem)
        if fault is not None:
            yield fault


def _distinct(problems: tuple[Problem, ...]) -> list[Problem]:
    return list({(problem.kind, problem.spelled): problem for problem in problems}.values())


def _unknown(case: Case, problem: Problem) -> Fault | None:
    spelled = problem.spelled
    if not _FLAG_NAME.match(spelled):
        return _fault("unknown-flag", "unknown-flag.plain", shown("", spelled))
    name = spelled.replace("_", "-") if "." not in spelled else spelled
    before, after = flag_elsewhere(case, name)
    near = None if before or after else _nearest(case, name)
    edits: list[Edit] = []
    values = {"flag": spelled}
    phrase = "unknown-flag.plain"
    next_flag = successor(name, case.release) if before else None
    if near is not None:
        phrase, values["near"] = "unknown-flag.near", near
        edits.append(_rename(case, problem, near))
    elif before is not None:
        phrase, values["last"] = "unknown-flag.removed", str(before)
        if next_flag is not None:
            edits.append(next_flag.edit(problem))
    elif after is not None:
        phrase, values["first"] = "unknown-flag.newer", str(after)
    edits.append(_drop(problem))
    if after is not None and before is None:
        edits.append(
            Edit("upgrade", FixKind.UPGRADE, "fix.upgrade", values={"target": f">={after}"}),
        )
    return Fault(
        "unknown-flag",
        CLASS,
        Severity.BLOCKS_START,
        phrase,
        name,
        values,
        tuple(edits),
        printed=_printed(problem),
    )


def _printed(problem: Problem) -> str:
    value = problem.values[0] if problem.values else ""
    said = value if problem.spelled == "--attention-backend" and _PLAIN.match(value) else ""
    return f"vllm serve: error: unrecognized arguments: {problem.spelled} {said}".rstrip()


def _nearest(case: Case, name: str) -> str | None:
    if not name.startswith("--"):
        return None
    known = [flag for flag in option_table(case.release) if flag.startswith("--")]
    if name.startswith("--no-"):
        positive = "--" + name.removeprefix("--no-")
        flag = case.release.flag(positive)
        if flag is not None and flag.type == "bool":
            return None
    else:
        known = [flag for flag in known if not flag.startswith("--no-")]
    return nearest(name, known, _ALIKE)


def _rename(case: Case, problem: Problem, near: str) -> Edit:
    flag = case.release.flag(near)
    takes_value = flag is not None and flag.type != "bool"
    values = problem.values
    change = None
    if takes_value and len(values) == 1:
        change = Change(flags_unset=(problem.spelled,), flags_set={near: shown(near, values[0])})
    elif not takes_value and not values:
        change = Change(flags_unset=(problem.spelled,), flags_set={near: ""})
    return Edit(
        "rename", FixKind.SET_FLAG, "fix.set-flag.rename", change, {"near": near, "removed": problem.spelled}
    )


def _drop(problem: Problem) -> Edit:
    change = Change(flags_unset=(problem.spelled,)) if len(problem.values) < 2 else None
    return Edit("drop-flag", FixKind.DROP_FLAG, "fix.drop-flag", change, {"removed": problem.spelled})


def _unknown_key(case: Case, problem: Problem) -> Fault | None:
    if case.version < KEYS_ARE_CHECKED or (problem.flag and problem.flag.name in OTHER_TEXTS):
        return None
    values = {"flag": problem.spelled, "parent": problem.flag.name if problem.flag else ""}
    return Fault(
        "preflight-unknown-key",
        CLASS,
        Severity.BLOCKS_START,
        "unknown-key",
        problem.spelled,
        values,
        (_drop(problem),),
    )


def _extra(case: Case, problem: Problem) -> Fault | None:
    word = shown("", problem.spelled)
    before = _before(case, problem.spelled)
    if before is not None:
        values = {"word": word, "flag": before}
        return _fault("unknown-flag", "extra-word.after-switch", word, values)
    return _fault("unknown-flag", "extra-word", word, {"word": word})


def _before(case: Case, word: str) -> str | None:
    """Return the switch that a stray word stands behind; None behind anything else."""
    words = case.launch.words
    if word not in words:
        return None
    place = words.index(word)
    flag = case.release.flag(words[place - 1]) if place and words[place - 1].startswith("--") else None
    return words[place - 1] if flag is not None and flag.type == "bool" else None


def _fault(rule: str, phrase: str, subject: str, values: dict[str, str] | None = None) -> Fault:
    return Fault(rule, CLASS, Severity.BLOCKS_START, phrase, subject, values or {"flag": subject})


def _ambiguous(case: Case, problem: Problem) -> Fault | None:  # noqa: ARG001 - all kinds have one signature
    values = {"flag": problem.spelled, "candidates": ", ".join(problem.candidates[:6])}
    return _fault("preflight-ambiguous-flag", "ambiguous-flag", problem.spelled, values)


def _no_value(case: Case, problem: Problem) -> Fault | None:  # noqa: ARG001
    name = problem.flag.name if problem.flag else problem.spelled
    return Fault(
        "flag-value-missing",
        CLASS,
        Severity.BLOCKS_START,
        "value-missing",
        name,
        {"flag": problem.spelled},
        printed=f"vllm serve: error: argument {name}: expected one argument",
    )


def _unwanted(case: Case, problem: Problem) -> Fault | None:  # noqa: ARG001
    value = shown(problem.spelled, "".join(problem.values))
    name = problem.spelled
    off = value.lower() in {"false", "0", "no"}
    change = Change(flags_unset=(name,)) if off else Change(flags_unset=(name,), flags_set={name: ""})
    phrase = "fix.drop-flag" if off else "fix.set-flag.bare"
    kind = FixKind.DROP_FLAG if off else FixKind.SET_FLAG
    edit = Edit("bare-switch", kind, phrase, change, {"removed": name, "setting": name})
    return Fault(
        "preflight-switch-with-value",
        CLASS,
        Severity.BLOCKS_START,
        "switch-with-value",
        name,
        {"flag": name, "given": value},
        (edit,),
    )


_KINDS = {
    ProblemKind.UNKNOWN_FLAG: _unknown,
    ProblemKind.UNKNOWN_KEY: _unknown_key,
    ProblemKind.EXTRA_WORD: _extra,
    ProblemKind.AMBIGUOUS: _ambiguous,
    ProblemKind.NO_VALUE: _no_value,
    ProblemKind.UNWANTED_VALUE: _unwanted,
}
