"""What a diagnosis lets a relaunch do, as records that worker processes can send. Pure. Not a plan."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.incident.fingerprint import fingerprint_of
from rules.engine.report import Change, Status

if TYPE_CHECKING:
    from rules.engine.report import Remedy, Report


@dataclass(frozen=True, slots=True)
class Offer:
    """The fixes of the first diagnosis that a relaunch can carry out, and what tells which server is meant."""

    rule: str
    rule_version: int
    fingerprint: str
    #: in the order to try
    remedies: tuple[Remedy, ...]
    #: an image has to be answered afterwards
    is_vision: bool
    model: str | None
    port: int | None


def offer_of(report: Report) -> Offer | None:
    """Return what a report offers; None when no fix of its first diagnosis can be carried out by a relaunch."""
    if report.status is not Status.DIAGNOSED:
        return None
    first = report.diagnoses[0]
    remedies = tuple(_sendable(fix) for fix in first.fixes if fix.relaunchable)
    if not remedies:
        return None
    return Offer(
        rule=first.rule,
        rule_version=first.version,
        fingerprint=fingerprint_of(report),
        remedies=remedies,
        is_vision=first.is_vision,
        model=report.facts.model,
        port=port_of(report.facts.argv),
    )


def _sendable(remedy: Remedy) -> Remedy:
    """Return a remedy whose mappings can go to another process."""
    if remedy.change is None:
        return remedy
    change = remedy.change
    plain = Change(change.env_unset, dict(change.env_set), dict(change.flags_set), change.flags_unset)
    return replace(remedy, change=plain)


def port_of(argv: tuple[str, ...] | None) -> int | None:
    """Return the port that the failed command names."""
    words = list(argv or ())
    for place, word in enumerate(words):
        name, _, value = word.partition("=")
        if name == "--port":
            text = value or (words[place + 1] if place + 1 < len(words) else "")
            return int(text) if text.isascii() and text.isdigit() and len(text) <= 5 else None
    return None
