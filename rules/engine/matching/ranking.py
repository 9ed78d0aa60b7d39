"""Which match is the root cause, what it rules out, and how sure that is. Not for texts or remedies."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rules.engine.matching.hits import Hits
from rules.engine.matching.matches import Match, Place
from rules.engine.report import Confidence, Status
from rules.engine.rule.model import Impact, Origin, Rule, RuleStatus
from rules.engine.seams import Failure

_LEVELS = (Confidence.POSSIBLE, Confidence.LIKELY, Confidence.CERTAIN)


class Reason(StrEnum):
    """Why a rule is not the cause."""

    #: its text follows from the diagnosed cause
    ABSORBED = "absorbed"
    #: its text is not in the paste
    SILENT = "silent"
    #: its text is there, but not all that it needs
    INCOMPLETE = "incomplete"
    #: its text stands on another line than the root cause
    ELSEWHERE = "elsewhere"
    #: its text is nearer to another rule's cause
    OUTRANKED = "outranked"
    #: it stops nothing
    NO_EFFECT = "no-effect"
    #: it only says that something else failed
    WRAPPER = "wrapper"


@dataclass(frozen=True, slots=True)
class Rejected:
    """A rule that is not the cause."""

    rule: str
    reason: Reason
    #: id of the rule that wins over it; None when none does
    by: str | None = None
    #: index of the line on which it fired; None when it did not
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of ranking."""

    status: Status
    #: matches that are diagnosed, the root cause first
    ranked: tuple[Match, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    #: rules that fired but only ask
    wrappers: tuple[Rule, ...] = ()


def rank(matches: Iterable[Match], hits: Hits, failure: Failure) -> Verdict:
    """Return what the matches and the structure of the paste say together."""
    ordered = sorted(matches, key=_order)
    wrappers = tuple(match for match in ordered if match.rule.asks_only)
    telling = [match for match in ordered if not match.rule.asks_only and not _foreign(match, failure)]
    causes = [match for match in telling if _explains(match)]
    rules = tuple(match.rule for match in wrappers)
    if causes:
        kept, rejected = _settle(causes, [match for match in ordered if match not in causes], hits)
        status = Status.DIAGNOSED if kept[0].sure else Status.NEED_MORE
        return Verdict(status, kept, rejected, rules)
    idle = tuple(match for match in telling if match.rule.impact is Impact.NO_EFFECT)
    status = _status_without_cause(failure, hits, wrappers, idle)
    if status is Status.DIAGNOSED:
        kept, rejected = _settle(list(idle), [], hits)
        sure = kept[0].sure
        return Verdict(status if sure else Status.NOT_AN_INCIDENT, kept if sure else (), rejected)
    return Verdict(status, (), tuple(_rejected(match, None) for match in telling), rules)


def confidence(match: Match, failure: Failure) -> Confidence:
    """Return how sure a match may be called."""
    caps = [match.rule.confidence]
    if not match.sure:
        caps.append(Confidence.POSSIBLE)
    if not match.in_era or (match.place is not Place.ROOT and failure.root is not None):
        caps.append(Confidence.LIKELY)
    if failure.unsettled or match.rule.status is RuleStatus.EXPERIMENTAL:
        caps.append(Confidence.LIKELY)
    level = min(_LEVELS.index(cap) for cap in caps)
    if match.rule.origin is not Origin.VLLM and not failure.vllm:
        level -= 1  # others print this text too, and nothing here says that it was vLLM
    return _LEVELS[max(level, 0)]


def _order(match: Match) -> tuple[object, ...]:
    return (
        match.rule.impact is Impact.NO_EFFECT,
        match.place,
        not match.in_era,
        not match.sure,
        match.rule.impact is not Impact.BLOCKS_START,
        -_LEVELS.index(match.rule.confidence),
        match.line,
        match.rule.id,
    )


def _explains(match: Match) -> bool:
    """Tell whether a match can account for the failure: on the root's chain, or where there is no root."""
    return match.rule.impact is not Impact.NO_EFFECT and match.place is not Place.ELSEWHERE


def _foreign(match: Match, failure: Failure) -> bool:
    """Tell whether the text is another program's, which prints the same words."""
    return failure.foreign is not None and not failure.vllm and match.rule.origin is not Origin.VLLM


def _status_without_cause(
    failure: Failure, hits: Hits, wrappers: Sequence[Match], idle: Sequence[Match]
) -> Status:
    if failure.root is not None:
        whole = Status.NEED_MORE if failure.cut else Status.UNKNOWN
        return whole if failure.vllm else Status.NOT_AN_INCIDENT
    if wrappers or (failure.vllm and failure.hidden) or (failure.wrappers and not hits.rules):
        return Status.NEED_MORE
    return Status.DIAGNOSED if idle else Status.NOT_AN_INCIDENT


def _settle(
    causes: Sequence[Match], others: Sequence[Match], hits: Hits
) -> tuple[tuple[Match, ...], tuple[Rejected, ...]]:
    """Split the matches into those that are diagnosed and those that the first one rules out."""
    best = causes[0]
    kept, rejected = [best], []
    for match in causes[1:]:
        related = {*best.rule.absorbs, *best.rule.rivals}
        independent = match.rule.id not in related and match.place == best.place
        if independent and match.sure and best.rule.id not in match.rule.rivals and match.line != best.line:
            kept.append(match)
        else:
            rejected.append(_rejected(match, best))
    rejected.extend(_rejected(match, best) for match in others)
    named = {match.rule.id for match in (*causes, *others)}
    for rival in (one for one in best.rule.rivals if one not in named):
        reason = Reason.INCOMPLETE if rival in hits.rules else Reason.SILENT
        rejected.append(Rejected(rival, reason, best.rule.id))
    return tuple(kept), tuple(rejected)


def _rejected(match: Match, best: Match | None) -> Rejected:
    by = best.rule.id if best else None
    if match.rule.asks_only:
        reason = Reason.WRAPPER
    elif best is not None and match.rule.id in best.rule.absorbs:
        reason = Reason.ABSORBED
    elif match.rule.impact is Impact.NO_EFFECT:
        reason = Reason.NO_EFFECT
    elif match.place is Place.ELSEWHERE or (best is not None and match.line != best.line):
        reason = Reason.ELSEWHERE
    else:
        reason = Reason.OUTRANKED
    return Rejected(match.rule.id, reason, by, match.line)
