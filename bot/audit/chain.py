"""Chains entries so that a change, a gap or a swap shows. Pure. Not for keeping them.

A chain alone does not show that its end was cut off: compare it with heads that were exported elsewhere.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bot.audit.entry import Entry

#: what the first entry follows
GENESIS: Final = "0" * 64
#: the longest text that an entry keeps of one field, in characters
LONGEST: Final = 4_000


@dataclass(frozen=True, slots=True)
class Link:
    """One entry in its place in the chain."""

    #: from 1, without gaps
    sequence: int
    #: the entry with its place, as canonical JSON: ASCII, sorted, one line
    record: str
    #: HMAC-SHA256 over the record, hexadecimal
    mac: str


@dataclass(frozen=True, slots=True)
class Head:
    """The newest link at one time, as it was told to somebody else."""

    sequence: int
    mac: str


@dataclass(frozen=True, slots=True)
class Fault:
    """Where a chain is broken first."""

    sequence: int
    what: str


@dataclass(frozen=True, slots=True)
class Keys:
    """The secrets that links are made and checked with. Never kept in the store."""

    current: bytes
    #: earlier ones: links made with them still check
    earlier: tuple[bytes, ...] = ()

    def by_id(self) -> dict[str, bytes]:
        """Return all of them by what a record says of its key."""
        return {key_id(key): key for key in (*self.earlier, self.current)}


def key_id(key: bytes) -> str:
    """Return a short name of a key that tells nothing about it."""
    return hashlib.sha256(b"vllm-diagnose journal key\n" + key).hexdigest()[:12]


def link(entry: Entry, before: Link | None, keys: Keys) -> Link:
    """Return the link that follows another; None for the first."""
    sequence = before.sequence + 1 if before is not None else 1
    values: dict[str, Any] = {
        name: value[:LONGEST] if isinstance(value, str) else value for name, value in asdict(entry).items()
    }
    values["at"] = entry.at.isoformat(timespec="milliseconds")
    values.update(sequence=sequence, prev=before.mac if before is not None else GENESIS)
    values["key"] = key_id(keys.current)
    record = json.dumps(values, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return Link(sequence, record, _mac(keys.current, record))


class Checking:
    """Checks a chain link by link, so that a journal of any length is read once and not kept."""

    def __init__(self, keys: Keys, heads: Iterable[Head] = ()) -> None:
        """Check against what was exported too: each head must still stand in the chain."""
        self._known = keys.by_id()
        self._told = {head.sequence: head.mac for head in heads}
        self._before: Link | None = None

    @property
    def count(self) -> int:
        """Return how many links were taken and found whole."""
        return self._before.sequence if self._before is not None else 0

    def take(self, one: Link) -> Fault | None:
        """Return what is wrong with the next link, or None and go on."""
        fault = _fault(one, self._before, self._known)
        if fault is None and self._told.pop(one.sequence, one.mac) != one.mac:
            fault = "it is another entry than the one whose head was exported"
        if fault is not None:
            return Fault(one.sequence, fault)
        self._before = one
        return None

    def end(self) -> Fault | None:
        """Return what is missing after the last link."""
        if not self._told:
            return None
        return Fault(self.count + 1, f"entries are missing: the head of entry {max(self._told)} was exported")


def verify(links: Iterable[Link], keys: Keys, heads: Iterable[Head] = ()) -> Fault | None:
    """Return the first place where the chain is not what was written, or None when it is whole."""
    checking = Checking(keys, heads)
    for one in links:
        fault = checking.take(one)
        if fault is not None:
            return fault
    return checking.end()


def _fault(one: Link, before: Link | None, known: Mapping[str, bytes]) -> str | None:
    expected = before.sequence + 1 if before is not None else 1
    try:
        values = json.loads(one.record)
    except ValueError:
        values = None
    if not isinstance(values, dict):
        return "it is not a record of the journal"
    key = known.get(str(values.get("key")))
    if key is None:
        return "it was made with a key that is not known here"
    if not hmac.compare_digest(_mac(key, one.record), one.mac):
        return "it was changed after it was written"
    if one.sequence != expected or values.get("sequence") != expected:
        return f"entry {expected} is missing"
    if values.get("prev") != (before.mac if before is not None else GENESIS):
        return "it does not follow the entry before it"
    return None


def _mac(key: bytes, record: str) -> str:
    return hmac.new(key, record.encode("ascii", "backslashreplace"), hashlib.sha256).hexdigest()
