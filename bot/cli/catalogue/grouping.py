"""Joins remedies that differ only in their proofs, so that a page says each fix once. Not for printing them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rules.engine.versions import select, specifier

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from packaging.version import Version

    from rules.engine.report import Proof, Remedy


@dataclass(frozen=True, slots=True)
class Group:
    """The remedies of one fix that say and do the same."""

    #: PEP 440 specifier of all the releases
    releases: str
    #: the first of them, which stands for what all say and do
    fix: Remedy
    #: each proof with the releases that it holds for; None: for all of the group
    proofs: tuple[tuple[str | None, Proof], ...]


def grouped(fixes: Iterable[Remedy], shipped: Sequence[Version]) -> tuple[Group, ...]:
    """Return the remedies, those that differ only in their proofs as one, in their order."""
    found: dict[tuple[object, ...], list[Remedy]] = {}
    for fix in fixes:
        found.setdefault((fix.id, fix.summary, fix.commands), []).append(fix)
    return tuple(_group(alike, shipped) for alike in found.values())


def _group(alike: list[Remedy], shipped: Sequence[Version]) -> Group:
    proofs = dict.fromkeys(proof for fix in alike for proof in fix.verify)
    return Group(
        releases=_joined(alike, shipped),
        fix=alike[0],
        proofs=tuple((_holding(proof, alike, shipped), proof) for proof in proofs),
    )


def _holding(proof: Proof, alike: list[Remedy], shipped: Sequence[Version]) -> str | None:
    """Return the releases that a proof holds for; None: wherever the group does."""
    holding = [fix for fix in alike if proof in fix.verify]
    return None if len(holding) == len(alike) else _joined(holding, shipped)


def _joined(fixes: list[Remedy], shipped: Sequence[Version]) -> str:
    if len(fixes) == 1:
        return fixes[0].releases
    covered = {version for fix in fixes for version in select(fix.releases, shipped)}
    return specifier(covered, shipped) or fixes[0].releases
