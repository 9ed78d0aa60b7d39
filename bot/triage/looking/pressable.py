"""Which acts on servers are worth a button under a report. Pure. Not who may: that is asked at the press."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.hosts.guess import Hints, candidates, named_in
from bot.relaunch.offer import offer_of, port_of
from bot.triage.card import FETCH, RELAUNCH, SWEEP
from rules.engine.report import Status

if TYPE_CHECKING:
    from bot.relaunch.scope import Scope
    from rules.engine.report import Report


def hints_of(report: Report, text: str, scope: Scope) -> Hints:
    """Return what tells which server a report is about; `text` may name one of those in the scope."""
    words = named_in(text, scope.registry)
    return Hints(report.facts.model, port_of(report.facts.argv), words, scope.channel)


def acts_on(report: Report, scope: Scope, hints: Hints) -> tuple[str, ...]:
    """Return the acts in the order of their buttons."""
    has_offer = offer_of(report) is not None
    may_fetch = lacks_facts(report) and bool(candidates(scope.fetchable, hints))
    offered = (
        (RELAUNCH, scope.can_relaunch and has_offer),
        (FETCH, may_fetch),
        (SWEEP, scope.can_sweep and has_offer),
    )
    return tuple(act for act, is_worth in offered if is_worth)


def lacks_facts(report: Report) -> bool:
    """Tell whether a server could tell what a paste leaves open: deciding lines, its release, its GPU."""
    if report.status in {Status.NEED_MORE, Status.NOT_AN_INCIDENT}:
        return report.status is Status.NEED_MORE
    facts = report.facts
    return facts.vllm_version is None or not (facts.gpu or facts.compute_capability)
