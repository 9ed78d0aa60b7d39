"""Refuses changes that may never be made from chat, or that are no plain names and values. Pure.

The host checks again by a list of its own.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rules.lint.allowed import may_change_flag, may_change_variable

if TYPE_CHECKING:
    from adapters.hosts.records import LaunchChange
    from rules.releases.release import Release

#: matched as a whole, in ASCII: look-alike letters, spaces and line ends have no place in either
_VARIABLE: Final = re.compile(r"[A-Z][A-Z0-9_]{0,127}", re.ASCII)
_FLAG: Final = re.compile(r"--[a-z][a-z0-9-]{0,127}", re.ASCII)
#: a value is one word of plain characters; JSON values are among them, shell syntax means nothing to `execve`
_VALUE: Final = re.compile(r"[A-Za-z0-9/][A-Za-z0-9_.,:/+=@%-]{0,255}|[{\[][ -~]{0,511}[}\]]", re.ASCII)


class ChangeRefusedError(Exception):
    """A change holds something that may not be changed; says what and what to do."""

    def __init__(self, what: str, next_step: str) -> None:
        super().__init__(f"{what}: {next_step}")
        self.what = what
        self.next_step = next_step


def check_change(change: LaunchChange, release: Release | None = None) -> None:
    """Refuse names off the allow-list and values that are no plain words; with a release, what it lacks.

    Raises `ChangeRefusedError`.
    """
    for name in (*change.env_unset, *change.env_set):
        if not (_VARIABLE.fullmatch(name) and may_change_variable(name)):
            raise ChangeRefusedError(
                f"the variable {name!a} may not be changed from chat", "change it on the host"
            )
    for name in (*change.flags_set, *change.flags_unset):
        if not (_FLAG.fullmatch(name) and may_change_flag(name)):
            raise ChangeRefusedError(
                f"the flag {name!a} may not be changed from chat", "change it on the host"
            )
    for name, value in change.env_set.items():
        _check_value(name, value)
    for name, value in change.flags_set.items():
        if value:
            _check_value(name, value)
    _check_twice(change)
    if release is not None:
        _check_release(change, release)


def _check_value(name: str, value: str) -> None:
    if not _VALUE.fullmatch(value) or ".." in value.split("/"):
        # an empty value of a variable is an error on some releases: removing is another thing than emptying
        raise ChangeRefusedError(f"the value {value!a} of {name} is not a plain word", "use another fix")


def _check_twice(change: LaunchChange) -> None:
    both = (change.env_set.keys() & set(change.env_unset)) | (
        change.flags_set.keys() & set(change.flags_unset)
    )
    if both:
        raise ChangeRefusedError(f"{', '.join(sorted(both))} is both set and removed", "use another fix")


def _check_release(change: LaunchChange, release: Release) -> None:
    for name, value in change.env_set.items():
        variable = release.variable(name)
        # variables of libraries below vLLM are none of its own
        if variable is None and name.startswith("VLLM_"):
            raise ChangeRefusedError(f"vLLM {release.version} has no variable {name}", "use another fix")
        if variable is not None:
            _check_choice(name, value, variable.choices, any_case=variable.any_case)
    for name, value in change.flags_set.items():
        flag = release.flag(name)
        if flag is None:
            raise ChangeRefusedError(f"vLLM {release.version} has no flag {name}", "use another fix")
        _check_choice(name, value, flag.choices, any_case=flag.any_case)


def _check_choice(name: str, value: str, choices: tuple[str, ...] | None, *, any_case: bool) -> None:
    if not choices or not value:
        return
    known = {choice.lower() for choice in choices} if any_case else set(choices)
    if (value.lower() if any_case else value) not in known:
        raise ChangeRefusedError(f"{name} does not take {value}", f"it takes {', '.join(choices)}")
