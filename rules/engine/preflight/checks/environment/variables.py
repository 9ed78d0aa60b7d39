"""Variables that the release does not read: gone, newer, misspelt. Not for their values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rules.engine.preflight.checks.environment.backend_variable import VARIABLE
from rules.engine.preflight.checks.environment.strict import FLAG as STRICT
from rules.engine.preflight.checks.environment.strict import refused
from rules.engine.preflight.checks.history import variable_elsewhere
from rules.engine.preflight.checks.nearest import nearest
from rules.engine.preflight.faults import Edit, Fault
from rules.engine.preflight.findings import Severity
from rules.engine.preflight.shown import masked_value
from rules.engine.report import Change, FixKind
from rules.releases.model import Unread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.engine.preflight.case import Case

CLASS = "env-var-ignored"
_OWN = re.compile(r"VLLM_[A-Z0-9_]+\Z")
#: names that programs beside vLLM read, this one first
_OTHERS = (
    "VLLM_DIAGNOSE_",
    "VLLM_ASCEND_",
    "VLLM_OMNI_",
    "VLLM_SPYRE_",
    "VLLM_GAUDI_",
    "VLLM_HPU_",
    "VLLM_NEURON_",
    "VLLM_RBLN_",
    "VLLM_METAL_",
    "VLLM_MLU_",
    "VLLM_KUNLUN_",
)
#: Kubernetes sets these for a service called `vllm` or `vllm-…`
_SERVICE_LINK = re.compile(
    r"VLLM_(?:[A-Z0-9_]+_)?(?:SERVICE_(?:HOST|PORT)(?:_[A-Z0-9_]+)?|PORT_\d+_(?:TCP|UDP).*)\Z"
)
_ALIKE = 0.86
#: nobody reads more of them, and each is compared with every variable there is
_MOST_SAID = 12


def check(case: Case) -> Iterator[Fault]:
    """Yield a fault for each variable of vLLM that this release does not know."""
    strict = bool(case.parsed.is_on(STRICT))
    for name in _unknown(case)[:_MOST_SAID]:
        if strict:
            yield refused(name)
        elif not name.startswith(_OTHERS) and not _SERVICE_LINK.match(name):
            yield _ignored(case, name)


def _unknown(case: Case) -> list[str]:
    own = (name for name in sorted(case.launch.env) if name != VARIABLE and _OWN.match(name))
    return [name for name in own if case.release.variable(name) is None]


def _ignored(case: Case, name: str) -> Fault:
    older, newer = variable_elsewhere(case, name)
    near = None if older or newer else _nearest(case, name)
    phrase, values = "variable-ignored.plain", {"variable": name}
    edits: list[Edit] = []
    if near is not None:
        phrase, values["near"] = "variable-ignored.near", near
        value = masked_value(near, case.launch.env[name])
        change = Change((name,), {near: value})
        said = {"setting": near, "removed": name, "value": value}
        edits.append(Edit("rename", FixKind.SET_ENV, "fix.set-env.rename", change, said))
    elif older is not None:
        phrase, values["last"] = "variable-ignored.removed", str(older)
    elif newer is not None:
        phrase, values["first"] = "variable-ignored.newer", str(newer)
        target = {"target": f">={newer}"}
        edits.append(Edit("upgrade", FixKind.UPGRADE, "fix.upgrade", values=target))
    edits.append(
        Edit("unset-variable", FixKind.UNSET_ENV, "fix.unset-env.ignored", Change((name,)), {"removed": name})
    )
    return Fault(
        "preflight-variable-unknown",
        CLASS,
        Severity.NO_EFFECT,
        phrase,
        name,
        values,
        tuple(edits),
        printed=warning(case, name),
    )


def warning(case: Case, name: str) -> str | None:
    """Return what the release logs of an unknown variable, None when it is silent."""
    if case.release.reach(name).unread is not Unread.WARNS:
        return None
    return f"WARNING 12-01 00:00:00 [envs.py:1] Unknown vLLM environment variable detected: {name}"


def _nearest(case: Case, name: str) -> str | None:
    known = [one.name for one in case.release.variables()]
    return nearest(name, known, _ALIKE)
