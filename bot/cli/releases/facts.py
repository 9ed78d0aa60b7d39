"""The facts of one release as plain data and as lines that grep can search. Not for where they come from."""

from __future__ import annotations

from dataclasses import fields
from enum import Enum
from typing import TYPE_CHECKING

from bot.cli.exits import unknown_name
from rules.releases.model import CAPABILITIES, Source
from rules.releases.release import Where

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from _typeshed import DataclassInstance

    from bot.triage.contract import Json
    from rules.releases.release import Release

#: settings whose reach matters for attention, in the order of their history
_SETTINGS = ("VLLM_ATTENTION_BACKEND", "--attention-backend", "--mm-encoder-attn-backend")

Sections = dict[str, list[dict[str, "Json"]]]


def all_sections(release: Release) -> Sections:
    """Return everything that is known of a release, by section."""
    return {
        "backends": [_plain(one) for one in release.backends()],
        "text-order": [_order(release, capability) for capability in CAPABILITIES],
        "towers": [_plain(one) for one in release.towers()],
        "tower-default": [_tower_default(release, capability) for capability in CAPABILITIES],
        "reach": [_plain(release.reach(name)) for name in _SETTINGS],
        "flags": [_plain(one) for one in release.flags()],
        "variables": [_plain(one) for one in release.variables()],
    }


def chosen_sections(release: Release, wanted: Mapping[str, Iterable[str]]) -> Sections:
    """Return only the named facts: `wanted` maps `flags`, `variables`, `backends` and `towers` to names.

    Raises `CommandError` with the nearest names for one that the release does not have.
    """
    finders = {
        "flags": (release.flag, [one.name for one in release.flags()]),
        "variables": (release.variable, [one.name for one in release.variables()]),
        "backends": (release.backend, [one.name for one in release.backends()]),
        "towers": (release.tower, [one.label for one in release.towers()]),
    }
    found: Sections = {}
    for section, names in wanted.items():
        find, known = finders[section]
        for name in names:
            one = find(name)
            if one is None:
                kind = f"{section.removesuffix('s')} in vLLM {release.version}"
                raise unknown_name(kind, name, known, f"vllm-diagnose releases show {release.version}")
            found.setdefault(section, []).append(_plain(one))
    return found


def lines(sections: Sections) -> Iterable[str]:
    """Yield one line for each fact, beginning with its section."""
    for section, facts in sections.items():
        for fact in facts:
            values = (f"{name}={_shown(value)}" for name, value in fact.items() if _says_something(value))
            yield "  ".join((section, *values))


def _order(release: Release, capability: str) -> dict[str, Json]:
    order = release.text_order(Where(compute_capability=capability))
    return {"compute_capability": capability, "order": None if order is None else list(order)}


def _tower_default(release: Release, capability: str) -> dict[str, Json]:
    choice = release.tower_default(Where(compute_capability=capability))
    return {
        "compute_capability": capability,
        "backend": choice.backend if choice else None,
        "missing_package": choice.missing_package if choice else None,
    }


def _plain(record: DataclassInstance) -> dict[str, Json]:
    return {one.name: _value(getattr(record, one.name)) for one in fields(record)}


def _value(value: object) -> Json:
    if isinstance(value, Source):
        return str(value)
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, tuple):
        return [_value(one) for one in value]
    return value if isinstance(value, bool | int | str) else None


def _says_something(value: Json) -> bool:
    return value is not None and value is not False and value != []


def _shown(value: Json) -> str:
    if value is True:
        return "yes"
    text = ",".join(str(one) for one in value) if isinstance(value, list) else str(value)
    return " ".join(text.split())
