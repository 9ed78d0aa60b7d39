"""A typed change of a launch, and the launch that it gives. Not for whether the host's list allows it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Mapping

from . import marks
from .flags import change_flags
from .spec import Spec


@dataclass(frozen=True)
class Change:
    """What is to be other than registered. Values are strings; a flag without a value has an empty one."""

    env_unset: tuple[str, ...] = ()
    env_set: Mapping[str, str] = field(default_factory=dict)
    flags_set: Mapping[str, str] = field(default_factory=dict)
    flags_unset: tuple[str, ...] = ()

    def as_json(self) -> str:
        """Return it for an environment, always the same text for the same change."""
        body = {
            "env_unset": sorted(self.env_unset),
            "env_set": dict(self.env_set),
            "flags_set": dict(self.flags_set),
            "flags_unset": sorted(self.flags_unset),
        }
        return json.dumps({key: value for key, value in body.items() if value}, sort_keys=True)

    def then(self, later: Change) -> Change:
        """Return one change that does what both do one after the other."""
        env_set = {name: value for name, value in self.env_set.items() if name not in later.env_unset}
        env_set.update(later.env_set)
        flags_set = {name: value for name, value in self.flags_set.items() if name not in later.flags_unset}
        flags_set.update(later.flags_set)
        return Change(
            tuple(name for name in dict.fromkeys(self.env_unset + later.env_unset) if name not in env_set),
            env_set,
            flags_set,
            tuple(
                name for name in dict.fromkeys(self.flags_unset + later.flags_unset) if name not in flags_set
            ),
        )

    @property
    def is_empty(self) -> bool:
        """Tell whether nothing changes."""
        return not (self.env_unset or self.env_set or self.flags_set or self.flags_unset)


def change_from(text: str) -> Change:
    """Return the change that `as_json` wrote."""
    body: dict[str, Any] = json.loads(text)
    return Change(
        tuple(body.get("env_unset", ())),
        body.get("env_set", {}),
        body.get("flags_set", {}),
        tuple(body.get("flags_unset", ())),
    )


def applied(spec: Spec, change: Change) -> Spec:
    """Return a launch with a change in it."""
    return Spec(change_flags(spec.argv, change.flags_set, change.flags_unset), _env(spec.env, change))


def applied_late(spec: Spec, change: Change) -> Spec:
    """Return the launch of a wrapper script that carries a change to where the script starts vLLM."""
    env = _env(spec.env, change)
    before = change_from(spec.env[marks.CHANGE]) if marks.CHANGE in spec.env else Change()
    whole = before.then(change)
    if not whole.is_empty:
        env[marks.CHANGE] = whole.as_json()
    return Spec(spec.argv, env)


def _env(env: Mapping[str, str], change: Change) -> dict[str, str]:
    changed = {name: value for name, value in env.items() if name not in change.env_unset}
    changed.update(change.env_set)
    return changed
