"""Checks that a rule changes only what may be changed from chat.

Not whether the change exists in a release.
"""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from rules.engine.remedy.words import placeholders
from rules.engine.report import FixKind, Risk
from rules.engine.rule.model import Fix, Rule
from rules.lint.interface import Context, Finding

_FILE = Path(__file__).parents[1] / "allowed.yaml"
#: kinds that a relaunch can carry out
_RELAUNCHABLE = (FixKind.UNSET_ENV, FixKind.SET_ENV, FixKind.SET_FLAG, FixKind.DROP_FLAG, FixKind.RESTART)


@lru_cache
def _allowed() -> dict[str, list[str]]:
    data: dict[str, Any] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return data


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
        elif not _matches(name, "variables"):
            yield Finding(
                f"The variable {name} may not be changed from chat.",
                f"Only those of {_FILE.name} may.",
                place,
            )
    for name in (*fix.change.flags_set, *fix.change.flags_unset):
        if not _matches(name, "flags"):
            yield Finding(
                f"The flag {name} may not be changed from chat.", f"Only those of {_FILE.name} may.", place
            )


def _matches(name: str, what: str) -> bool:
    lists = _allowed()
    if any(fnmatchcase(name, pattern) for pattern in lists["never"]):
        return False
    return any(fnmatchcase(name, pattern) for pattern in lists[what])
