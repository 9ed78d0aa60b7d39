"""VLLM_ATTENTION_BACKEND: ignored, misspelt, empty, or set beside the flag. Not for whether a backend runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.version import Version

from rules.engine.preflight.checks.environment.strict import FLAG as STRICT
from rules.engine.preflight.checks.environment.strict import refused
from rules.engine.preflight.faults import Edit, Fault
from rules.engine.preflight.findings import Severity
from rules.engine.preflight.shown import shown
from rules.engine.report import Change, FixKind
from rules.releases.model import Unread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.engine.preflight.case import Case

VARIABLE = "VLLM_ATTENTION_BACKEND"
FLAG = "--attention-backend"
#: the selector refuses a name that it does not know from here on; before, it takes it for none
#: (vllm/attention/selector.py)
_NAMES_ARE_CHECKED = Version("0.10.1")
_CLASS = "invalid-backend-name"


def check(case: Case) -> Iterator[Fault]:
    """Yield what is wrong with the variable itself."""
    value = case.env(VARIABLE)
    if value is None or case.is_open(value):
        return
    if not case.release.reach(VARIABLE).parts:
        yield _unread(case, value)
    elif (fault := _name(case, value)) is not None:
        yield fault
    elif case.parsed.option(FLAG) is not None:
        yield _twice(value)


def valid_name(case: Case) -> str | None:
    """Return the backend that the variable asks for, where the release reads it and knows the name."""
    value = case.env(VARIABLE)
    if not value or case.is_open(value) or not case.release.reach(VARIABLE).parts:
        return None
    return value if case.release.backend(value) is not None and _name(case, value) is None else None


def _unread(case: Case, value: str) -> Fault:
    warns = case.release.reach(VARIABLE).unread is Unread.WARNS
    unset = Edit(
        "unset-variable",
        FixKind.UNSET_ENV,
        "fix.unset-env.ignored",
        Change((VARIABLE,)),
        {"removed": VARIABLE},
    )
    if warns and case.parsed.is_on(STRICT):
        return refused(VARIABLE)
    edits = [unset]
    if value.upper() in (_choices(case) or ()) and case.parsed.option(FLAG) is None:
        said = {"setting": FLAG, "value": value.upper(), "removed": VARIABLE}
        change = Change((VARIABLE,), flags_set={FLAG: value.upper()})
        edits.insert(0, Edit("flag-instead", FixKind.SET_FLAG, "fix.set-flag.successor", change, said))
    return Fault(
        "backend-variable-unknown" if warns else "backend-variable-ignored",
        "env-var-ignored",
        Severity.NO_EFFECT,
        "backend-variable-unread",
        VARIABLE,
        {"variable": VARIABLE, "given": shown(VARIABLE, value)},
        tuple(edits),
        printed=(
            f"WARNING 12-01 00:00:00 [envs.py:1] Unknown vLLM environment variable detected: {VARIABLE}"
            if warns
            else None
        ),
    )


def _choices(case: Case) -> tuple[str, ...] | None:
    flag = case.release.flag(FLAG)
    return flag.choices if flag is not None else None


def _name(case: Case, value: str) -> Fault | None:
    variable = case.release.variable(VARIABLE)
    choices = variable.choices if variable is not None else None
    known = choices or tuple(one.name for one in case.release.backends())
    if value in known:
        return None
    given = shown(VARIABLE, value)
    values = {"variable": VARIABLE, "given": given}
    right = next((one for one in known if one.upper() == value.upper().removesuffix("_VLLM_V1")), None)
    edits = []
    if right is not None:
        said = {"setting": VARIABLE, "value": right}
        change = Change(env_set={VARIABLE: right})
        edits.append(Edit("right-name", FixKind.SET_ENV, "fix.set-env.by-message", change, said))
    edits.append(
        Edit(
            "unset-variable",
            FixKind.UNSET_ENV,
            "fix.unset-env.name",
            Change((VARIABLE,)),
            {"removed": VARIABLE},
        )
    )
    if choices is None and case.version < _NAMES_ARE_CHECKED:
        phrase, severity, rule = (
            "backend-variable-no-name",
            Severity.NO_EFFECT,
            "preflight-backend-variable-no-name",
        )
        return Fault(rule, _CLASS, severity, phrase, VARIABLE, values, tuple(edits))
    if choices is None:
        printed = f"ValueError: Invalid attention backend: '{given}'. Valid backends are: ['FLASH_ATTN']"
        rule = "backend-variable-not-listed"
    else:
        printed = f"ValueError: Invalid value '{given}' for {VARIABLE}. Valid options: ['FLASH_ATTN']."
        rule = "backend-variable-invalid"
    phrase = "backend-variable-empty" if not value else "backend-variable-invalid"
    return Fault(rule, _CLASS, Severity.BLOCKS_START, phrase, VARIABLE, values, tuple(edits), printed)


def _twice(value: str) -> Fault:
    unset = Edit(
        "unset-variable", FixKind.UNSET_ENV, "fix.unset-env.plain", Change((VARIABLE,)), {"removed": VARIABLE}
    )
    return Fault(
        "preflight-backend-twice",
        "cli-arg-invalid",
        Severity.BLOCKS_START,
        "backend-twice",
        VARIABLE,
        {"variable": VARIABLE, "flag": FLAG, "given": shown(VARIABLE, value)},
        (unset,),
    )
