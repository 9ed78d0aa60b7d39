"""The facts of one release as plain data and as lines that grep can search. Not for where they come from."""

from __future__ import annotations

from dataclasses import fields
from enum import Enum
from typing import TYPE_CHECKING

from bot.cli.exits import unknown_name
from rules.releases.model import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from _typeshed import DataclassInstance

    from bot.triage.contract import Json
    from rules.releases.model import Record

Sections = dict[str, list[dict[str, "Json"]]]

#: how a fact of a section is called, where facts can be asked for by name
NAMES = {"backends": "name", "towers": "label", "flags": "name", "variables": "name"}

#: what a person calls a fact of such a section
_KINDS = {"backends": "backend", "towers": "vision encoder", "flags": "flag", "variables": "variable"}


def all_sections(record: Record, *, texts: bool) -> Sections:
    """Return everything that is known of a release by section; the texts it can print only when wanted."""
    attention = {one.name: getattr(record.attention, one.name) for one in fields(record.attention)}
    packages = attention.pop("packages")
    found: Sections = {section: [_plain(fact) for fact in facts] for section, facts in attention.items()}
    found["packages"] = [{"name": name, "requirement": text} for name, text in packages]
    for section in ("flags", "dotted_flags", "variables"):
        found[section] = [_plain(fact) for fact in getattr(record, section)]
    if texts:
        found["messages"] = [_plain(fact) for fact in record.messages]
    return found


def named_facts(sections: Sections, wanted: Mapping[str, Iterable[str]], version: str) -> Sections:
    """Return only the facts whose names are wanted, by section (`flags`, `variables`, `backends`, `towers`).

    A flag answers to its aliases too. Raises `CommandError` with the nearest names for one that is not there.
    """
    found: Sections = {}
    for section, names in wanted.items():
        known = {name: fact for fact in sections[section] for name in _names(fact, NAMES[section])}
        for name in names:
            if name not in known:
                kind = f"{_KINDS[section]} in the facts of vLLM {version}"
                raise unknown_name(kind, name, known, f"vllm-diagnose releases show {version}")
            found.setdefault(section, []).append(known[name])
    return found


def _names(fact: Mapping[str, Json], field: str) -> list[str]:
    aliases = fact.get("aliases")
    return [str(fact[field]), *(str(alias) for alias in (aliases if isinstance(aliases, list) else []))]


def lines(sections: Sections) -> Iterable[str]:
    """Yield one line for each fact, beginning with its section."""
    for section, facts in sections.items():
        for fact in facts:
            values = (f"{name}={_shown(value)}" for name, value in fact.items() if _says_something(value))
            yield "  ".join((section, *values))


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
