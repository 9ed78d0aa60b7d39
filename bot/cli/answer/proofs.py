"""Proofs that several fixes share, so that they are said once. Not for printing them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rules.engine.report import Proof, Remedy


def shared_proofs(fixes: tuple[Remedy, ...]) -> tuple[Proof, ...]:
    """Return what proves every one of several fixes; a single fix shares nothing."""
    if len(fixes) < 2:
        return ()
    return tuple(proof for proof in fixes[0].verify if all(proof in fix.verify for fix in fixes[1:]))
