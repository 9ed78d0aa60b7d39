"""Answers about flags and variables of one release. Not for what they do."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from packaging.version import Version

    from rules.releases.model import Flag, Variable
    from rules.releases.store import Shelf

#: end of the name of a JSON flag whose keys are free (`--hf-overrides.*`)
ANY_KEY = ".*"


class Surface:
    """The flags and variables of one release."""

    _shelf: Shelf
    _version: Version

    def flags(self) -> Sequence[Flag]:
        """Return the flags of `vllm serve`, sorted by name."""
        return self._flags

    def flag(self, name: str) -> Flag | None:
        """Return a flag by any spelling, also as a dotted key of a JSON flag; None when it does not exist."""
        spelled = spelling(name)
        head, dot, key = spelled.partition(".")
        parent = self._by_option.get(head) or self._glued(head)
        if not dot or parent is None:
            return parent
        return self._dotted(f"{parent.name}.{key.removesuffix('+')}")

    def dotted_flags(self) -> Sequence[Flag]:
        """Return the keys that JSON flags take one by one, sorted by name; `x.*` takes any key."""
        return tuple(self._keys.values())

    def variables(self) -> Sequence[Variable]:
        """Return the environment variables, sorted by name."""
        return tuple(self._variables.values())

    def variable(self, name: str) -> Variable | None:
        """Return a variable, None when the release does not know it."""
        return self._variables.get(name)

    def _glued(self, option: str) -> Flag | None:
        """Return `-O` for `-O3`, which the parser takes apart."""
        return self._by_option.get("-O") if option.startswith("-O") else None

    def _dotted(self, name: str) -> Flag | None:
        found = self._keys.get(name)
        if found is not None:
            return found
        parts = name.split(".")
        for length in range(len(parts) - 1, 0, -1):
            free = self._keys.get(".".join(parts[:length]) + ANY_KEY)
            if free is not None:
                return replace(free, name=name)
        return None

    @cached_property
    def _flags(self) -> tuple[Flag, ...]:
        return tuple(sorted(self._shelf.section(str(self._version), "flags"), key=_name))

    @cached_property
    def _by_option(self) -> Mapping[str, Flag]:
        found = {alias: flag for flag in self._flags for alias in flag.aliases}
        return found | {flag.name: flag for flag in self._flags}

    @cached_property
    def _keys(self) -> Mapping[str, Flag]:
        flags = sorted(self._shelf.section(str(self._version), "dotted_flags"), key=_name)
        return {flag.name: flag for flag in flags}

    @cached_property
    def _variables(self) -> Mapping[str, Variable]:
        variables = sorted(self._shelf.section(str(self._version), "variables"), key=_name)
        return {variable.name: variable for variable in variables}


def spelling(name: str) -> str:
    """Return an option as vLLM's parser reads it: without `=value`, with dashes before the first dot."""
    option = name.partition("=")[0]
    if not option.startswith("--"):
        return option
    head, dot, key = option.partition(".")
    return head.replace("_", "-") + dot + key


def _name(fact: Flag | Variable) -> str:
    return fact.name
