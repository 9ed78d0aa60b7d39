"""Unknown variables where the launch asks for a strict check of its environment. Not for finding them."""

from __future__ import annotations

from rules.engine.preflight.faults import Edit, Fault
from rules.engine.preflight.findings import Severity
from rules.engine.report import Change, FixKind

FLAG = "--fail-on-environ-validation"


def refused(name: str) -> Fault:
    """Return the fault of a variable that the release does not know."""
    unset = Edit(
        "unset-variable", FixKind.UNSET_ENV, "fix.unset-env.plain", Change((name,)), {"removed": name}
    )
    loose = Change(flags_unset=(FLAG,))
    drop = Edit("no-strict-check", FixKind.DROP_FLAG, "fix.drop-flag.validation", loose, {"removed": FLAG})
    return Fault(
        "unknown-variable-refused",
        "env-var-ignored",
        Severity.BLOCKS_START,
        "variable-refused",
        name,
        {"variable": name},
        (unset, drop),
        printed=f"ValueError: Unknown vLLM environment variable detected: {name}",
    )
