"""Values of variables on which the release fails: no number where it wants one, none of its list, an address."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from packaging.version import Version

from rules.engine.preflight.checks.environment.backend_variable import VARIABLE
from rules.engine.preflight.checks.words.values import CLASS, listed
from rules.engine.preflight.faults import Edit, Fault
from rules.engine.preflight.findings import Severity
from rules.engine.preflight.shown import shown
from rules.engine.report import Change, FixKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rules.engine.preflight.case import Case
    from rules.releases.model import Variable

#: from here on the engine reads every variable of its table at the start (`enable_envs_cache`, vllm/envs.py)
_ALL_ARE_READ = Version("0.11.1")
_WHOLE = re.compile(r"\s*[+-]?\d+(?:_\d+)*\s*\Z")
_FLOAT = re.compile(
    r"\s*[+-]?(?:(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?|inf(?:inity)?|nan)\s*\Z", re.IGNORECASE
)
_URI = re.compile(r"[a-z]+://", re.IGNORECASE)
#: parts of names that only one platform reads
_PLATFORMS = (
    ("VLLM_CPU_", "cpu"),
    ("VLLM_ROCM_", "rocm"),
    ("VLLM_TPU_", "tpu"),
    ("VLLM_XLA_", "tpu"),
    ("VLLM_XPU_", "xpu"),
)
#: for those who write a switch as a word
_SWITCHES: Mapping[str, str] = {"true": "1", "yes": "1", "on": "1", "false": "0", "no": "0", "off": "0"}


def check(case: Case) -> Iterator[Fault]:
    """Yield a fault for each variable whose value ends the program that reads it."""
    for name, value in sorted(case.launch.env.items()):
        variable = case.release.variable(name)
        if variable is None or name == VARIABLE or case.is_open(value) or not _is_read(case, name):
            continue
        fault = _port(name, value) or _number(variable, value) or _choice(variable, value)
        if fault is not None:
            yield fault


def _is_read(case: Case, name: str) -> bool:
    platform = case.known.machine.platform
    for beginning, only in _PLATFORMS:
        if name.startswith(beginning) and platform not in {None, only} and case.version < _ALL_ARE_READ:
            return False
    return name.startswith("VLLM_") or case.version >= _ALL_ARE_READ


def _port(name: str, value: str) -> Fault | None:
    if name != "VLLM_PORT" or not _URI.match(value):
        return None
    return Fault(
        "port-variable-is-uri",
        "port-conflict",
        Severity.BLOCKS_START,
        "port-is-address",
        name,
        {"variable": name},
        (
            Edit(
                "unset-variable", FixKind.UNSET_ENV, "fix.unset-env.plain", Change((name,)), {"removed": name}
            ),
        ),
        printed=f"ValueError: VLLM_PORT '{shown(name, value)}' appears to be a URI. This may be caused by a …",
    )


def _number(variable: Variable, value: str) -> Fault | None:
    # a port is read by a function of its own
    kind = "int" if variable.name == "VLLM_PORT" else variable.type
    if kind not in {"int", "float"} or (not value and variable.may_be_empty):
        return None
    if (_WHOLE if kind == "int" else _FLOAT).match(value):
        return None
    name = variable.name
    edits = []
    switch = _SWITCHES.get(value.strip().lower())
    if switch is not None and kind == "int":
        said = {"setting": name, "value": switch}
        edits.append(Edit("number", FixKind.SET_ENV, "fix.set-env", Change(env_set={name: switch}), said))
    edits.append(
        Edit("unset-variable", FixKind.UNSET_ENV, "fix.unset-env.plain", Change((name,)), {"removed": name})
    )
    phrase = "variable-empty" if not value.strip() else "variable-no-number"
    values = {"variable": name, "given": shown(name, value)}
    return Fault(
        "preflight-variable-invalid", CLASS, Severity.BLOCKS_START, phrase, name, values, tuple(edits)
    )


def _choice(variable: Variable, value: str) -> Fault | None:
    choices = variable.choices
    if choices is None or not value.strip():
        return None
    parts = [part.strip() for part in value.split(",") if part.strip()]
    if variable.any_case:
        good = all(part.lower() in {choice.lower() for choice in choices} for part in parts)
    else:
        good = all(part in choices for part in parts)
    if good:
        return None
    name = variable.name
    near = next(
        iter(get_close_matches(value.lower(), [one.lower() for one in choices], n=1, cutoff=0.6)), None
    )
    right = next((one for one in choices if one.lower() == near), None)
    edits = []
    if right is not None:
        said = {"setting": name, "value": right}
        edits.append(Edit("right-value", FixKind.SET_ENV, "fix.set-env", Change(env_set={name: right}), said))
    edits.append(
        Edit("unset-variable", FixKind.UNSET_ENV, "fix.unset-env.plain", Change((name,)), {"removed": name})
    )
    values = {"variable": name, "given": shown(name, value), "choices": listed(choices)}
    return Fault(
        "preflight-variable-invalid",
        CLASS,
        Severity.BLOCKS_START,
        "variable-choice",
        name,
        values,
        tuple(edits),
    )
