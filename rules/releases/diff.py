"""What changed from one release to another, fact by fact. Pure; not for what a change means for a rule."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rules.releases.model import Record

#: fields that name a fact; what is left over is compared. Facts without a rest are only added or removed
KEYS: dict[str, tuple[str, ...]] = {
    "backends": ("name",),
    "text_orders": ("platform", "mla", "capabilities", "head_sizes"),
    "towers": ("label",),
    "tower_defaults": ("platform", "capabilities", "head_sizes"),
    "tower_choices": ("platform", "capabilities"),
    "rescues": ("package",),
    "reaches": ("setting",),
    "selection_lines": ("part", "chosen_by", "platform", "backend", "template"),
    "prefixes": ("kind", "template"),
    "flags": ("name",),
    "dotted_flags": ("name",),
    "variables": ("name",),
    "messages": ("kind", "template"),
}
#: the place of a fact moves with every release
NOT_COMPARED = frozenset({"source"})


class What(StrEnum):
    """What happened to a fact."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Difference:
    """One change between two releases."""

    #: `backends`, `flags`, `variables`, `messages` ... as in the record
    section: str
    what: What
    #: name of the fact (`--dtype`, `FLASH_ATTN`, the text of a message)
    name: str
    #: field that changed (`choices`, `default`, `deprecated` ...); None for what was added or removed
    field: str | None = None
    before: str | None = None
    after: str | None = None
    #: `file:line` in the newer release, of what was removed in the older one
    source: str | None = None
    #: what came to a field that holds a list, and what went from it; empty where the field holds one value
    came: tuple[str, ...] = ()
    went: tuple[str, ...] = ()


def diff(old: Record, new: Record) -> tuple[Difference, ...]:
    """Return what changed, section by section: first what is new, then what is gone, then what differs."""
    found: list[Difference] = []
    for section in (*KEYS, "packages"):
        before, after = _named(old, section), _named(new, section)
        added = [name for name in after if name not in before]
        removed = [name for name in before if name not in after]
        found.extend(_whole(section, What.ADDED, after, added))
        found.extend(_whole(section, What.REMOVED, before, removed))
        for name in after:
            if name in before:
                found.extend(_changes(section, name, before[name], after[name]))
    return tuple(found)


def _named(record: Record, section: str) -> dict[str, Any]:
    facts: Iterable[Any] = getattr(record if hasattr(record, section) else record.attention, section)
    if section == "packages":
        return dict(facts)
    named: dict[str, Any] = {}
    for fact in facts:
        parts = (getattr(fact, key) for key in KEYS[section])
        named.setdefault(" ".join(text for part in parts if (text := _text(part))), fact)
    return named


def _whole(section: str, what: What, facts: dict[str, Any], names: list[str]) -> Iterator[Difference]:
    for name in names:
        source = getattr(facts[name], "source", None)
        value = facts[name] if isinstance(facts[name], str) else None
        before, after = (value, None) if what is What.REMOVED else (None, value)
        yield Difference(section, what, name, None, before, after, str(source) if source else None)


def _changes(section: str, name: str, before: Any, after: Any) -> Iterator[Difference]:  # noqa: ANN401 - two facts
    if not is_dataclass(after) or isinstance(after, type):
        if before != after:
            yield Difference(section, What.CHANGED, name, "requirement", _text(before), _text(after))
        return
    for item in fields(after):
        old, new = getattr(before, item.name), getattr(after, item.name)
        if old != new and item.name not in NOT_COMPARED:
            source = _text(getattr(after, "source", None))
            came, went = _moved(old, new), _moved(new, old)
            values = _text(old), _text(new), source
            yield Difference(section, What.CHANGED, name, item.name, *values, came, went)


def _moved(old: object, new: object) -> tuple[str, ...]:
    """Return what of a list was not in the older one; nothing where either is no list, or one is empty."""
    if not isinstance(old, tuple) or not isinstance(new, tuple) or not old or not new:
        return ()
    return tuple(str(one) for one in new if one not in old)


def _text(value: object) -> str | None:
    if value is None or value == ():
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(str(item) for item in value)
    return str(value)
