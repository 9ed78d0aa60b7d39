"""Checks that a rule changes only what may be changed from chat.

Not whether the change exists in a release.
"""

from collections.abc import Iterator

from rules.engine.remedy.words import placeholders
from rules.engine.report import FixKind, Risk
from rules.engine.rule.model import Fix, Rule
from rules.lint.allowed import FILE, may_change_flag, may_change_variable
from rules.lint.interface import Context, Finding

#: kinds that a relaunch can carry out
_RELAUNCHABLE = (FixKind.UNSET_ENV, FixKind.SET_ENV, FixKind.SET_FLAG, FixKind.DROP_FLAG, FixKind.RESTART)


def check(rule: Rule, context: Context) -> Iterator[Finding]:
    """Yield settings off the allow-list and fixes that claim too much for a relaunch."""
    del context
    for index, fix in enumerate(rule.fixes):
        place = ("fixes", index)
        yield from _names(fix, (*place, "change"))
        if fix.relaunchable and fix.kind not in _RELAUNCHABLE:
            yield Finding(
                f"A relaunch cannot do `{fix.id}`, a {fix.kind}.", "Set `relaunchable: false`.", place
            )
        if fix.relaunchable and fix.kind is not FixKind.RESTART and fix.change is None:
            yield Finding(
                f"Fix `{fix.id}` is advice: there is nothing to relaunch with.", "Add `change`.", place
            )
        if fix.relaunchable and fix.risk is Risk.HOST:
            yield Finding(f"Fix `{fix.id}` touches other workloads.", "Set `relaunchable: false`.", place)


def _names(fix: Fix, place: tuple[str | int, ...]) -> Iterator[Finding]:
    if fix.change is None:
        return
    for name in (*fix.change.env_unset, *fix.change.env_set):
        if placeholders(name):
            if name in fix.change.env_set:
                yield Finding(
                    f"`{name}` lets a paste choose which variable is set.", "Name the variable.", place
                )
        elif not may_change_variable(name):
            yield Finding(
                f"The variable {name} may not be changed from chat.",
                f"Only those of {FILE.name} may.",
                place,
            )
    for name in (*fix.change.flags_set, *fix.change.flags_unset):
        if not may_change_flag(name):
            yield Finding(
                f"The flag {name} may not be changed from chat.", f"Only those of {FILE.name} may.", place
            )
