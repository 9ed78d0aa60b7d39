"""Flags that one message of the command line's parser refuses together. Not for flags that a release lacks."""

from dataclasses import replace
from typing import Final

import re2

from rules.engine.report import Change
from rules.engine.rule.model import Rule
from rules.engine.seams import Case

#: capture that holds all that the parser did not take, as it printed it
REFUSED: Final = "refused"
_FLAG: Final = re2.compile(r"--?[A-Za-z][A-Za-z0-9_.-]*")
#: nobody writes more flags that are all unknown
_MOST: Final = 16


def refused(case: Case) -> tuple[str, ...]:
    """Return the flags that the message names, each once; none for a message that names no list."""
    words = case.captures.get(REFUSED, "").split()
    flags = (word.partition("=")[0] for word in words if word.startswith("-"))
    return tuple(dict.fromkeys(flag for flag in flags if _FLAG.fullmatch(flag)))[:_MOST]


def others(case: Case) -> tuple[str, ...]:
    """Return the refused flags that the rule is not about; none where it is about any flag."""
    own = _own(case.rule)
    return tuple(flag for flag in refused(case) if flag not in own) if own else ()


def without_refused(change: Change, case: Case) -> Change:
    """Return a change that drops every refused flag, for the start would stop at the next one."""
    gone = (*change.flags_unset, *(flag for flag in refused(case) if flag not in change.flags_unset))
    return replace(change, flags_unset=gone)


def _own(rule: Rule) -> frozenset[str]:
    changes = (fix.change for fix in rule.fixes if fix.change is not None)
    return frozenset(name for change in changes for name in change.flags_unset)
