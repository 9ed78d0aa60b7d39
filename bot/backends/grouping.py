"""Puts columns that say the same side by side, and rows that fail for the same reason. Not for words."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from bot.backends.words import sources_of
from rules.engine.backend_matrix.rows import Verdict, Why

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rules.engine.backend_matrix.rows import Column, Row, Side

#: rows of one reason that still have a line each
_FEW = 2
#: reasons that nobody who asks about this machine and model wants to read first
_ASIDE = frozenset(
    {Why.NO_ATTENTION, Why.NEEDS_PLUGIN, Why.PLATFORM, Why.CPU_HAS_ITS_OWN}
    | {Why.MLA_ONLY, Why.NOT_FOR_MLA, Why.SPARSE_ONLY, Why.NOT_FOR_SPARSE}
)


@dataclass(frozen=True, slots=True)
class SideGroup:
    """Machines on which a side of the matrix is the same."""

    columns: tuple[Column, ...]
    side: Side


def alike(columns: Iterable[Column], *, vision: bool) -> list[SideGroup]:
    """Return neighbouring columns as one where their verdicts and default are the same."""
    sides = [(column, column.vision if vision else column.text) for column in columns]
    known = [(column, side) for column, side in sides if side is not None]
    groups = []
    for _, members in groupby(known, key=lambda pair: _gist(pair[1])):
        found = list(members)
        groups.append(SideGroup(tuple(column for column, _ in found), found[0][1]))
    return groups


def _gist(side: Side) -> tuple[object, ...]:
    verdicts = tuple(sorted((row.backend, row.verdict.value) for row in side.rows))
    tried = tuple(row.backend for row in side.rows if row.place is not None)
    return (side.default, tried, verdicts)


@dataclass(frozen=True, slots=True)
class Refused:
    """Backends that fail for the same reasons."""

    rows: tuple[Row, ...]

    @property
    def names(self) -> str:
        """Return the names of the backends."""
        return ", ".join(row.backend for row in self.rows)

    @property
    def sources(self) -> str:
        """Return the place in vLLM's source that all of them rest on; empty when each has its own."""
        found = {sources_of(row) for row in self.rows}
        return found.pop() if len(found) == 1 else ""


def telling_and_refused(rows: Sequence[Row]) -> tuple[list[Row], list[Refused]]:
    """Return the rows that deserve a line of their own, and those that fail by what they have in common.

    A few that fail for a reason of their own have a line too; many of one reason say more together.
    """
    groups: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        if row.verdict is Verdict.FAILS and not row.is_default:
            reasons = tuple((reason.why, reason.values) for reason in row.reasons)
            groups.setdefault(reasons, []).append(row)
    large = [Refused(tuple(one)) for one in groups.values() if len(one) > _FEW or _is_aside(one[0])]
    together = {row.backend for group in large for row in group.rows}
    return [row for row in rows if row.backend not in together], large


def _is_aside(row: Row) -> bool:
    return any(reason.why in _ASIDE for reason in row.reasons)
