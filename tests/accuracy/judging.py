"""Holds a report against the label of its case. Not for sums over many."""

from dataclasses import dataclass
from enum import StrEnum

from rules.engine.report import Confidence, FixKind, Report, Status
from tests.accuracy.cases import Case, Right

#: what a corpus calls the kinds of fixes
GROUPS = {
    FixKind.UNSET_ENV: "settings",
    FixKind.SET_ENV: "settings",
    FixKind.SET_FLAG: "settings",
    FixKind.DROP_FLAG: "settings",
    FixKind.UPGRADE: "version",
    FixKind.DOWNGRADE: "version",
    FixKind.INSTALL_PACKAGE: "packages",
    FixKind.HOST_RESOURCE: "resources",
    FixKind.MODEL_FILES: "files",
    FixKind.NETWORK: "files",
    FixKind.RESTART: "restart",
    FixKind.HARDWARE: "none",
    FixKind.UPSTREAM_BUG: "none",
}
#: characters of a root cause that are compared where the same text stands on another line
_TOLD = 60


class Outcome(StrEnum):
    """What came of a case."""

    RIGHT = "right"
    #: another diagnosis, or one where none is right
    WRONG = "wrong"
    #: no diagnosis where one is right: a question, an unknown failure, or nothing at all
    ABSTAINED = "abstained"


@dataclass(frozen=True, slots=True)
class Judged:
    """A case and what came of it."""

    case: Case
    outcome: Outcome
    status: Status
    #: rule, class and confidence of the first diagnosis; None without one
    first: tuple[str, str, Confidence] | None
    #: True when a diagnosis that is wrong was called certain
    wrong_certain: bool
    #: whether the first fix is of a right group; None where that cannot be said
    fix_right: bool | None
    #: whether the line of the root cause is the labelled one; None where none is
    line_right: bool | None


def judge(case: Case, report: Report) -> Judged:
    """Return what came of a case."""
    first = report.diagnoses[0] if report.diagnoses else None
    outcome = _outcome(case, report)
    certain = any(
        one.confidence is Confidence.CERTAIN and not _fits(case, one.failure_class, one.family)
        for one in report.diagnoses[:1]
    )
    fix_right = None
    if case.fix_groups and first is not None and outcome is Outcome.RIGHT:
        fix_right = bool(first.fixes) and GROUPS[first.fixes[0].kind] in case.fix_groups
    return Judged(
        case,
        outcome,
        report.status,
        (first.rule, first.failure_class, first.confidence) if first else None,
        wrong_certain=certain,
        fix_right=fix_right,
        line_right=_line_right(case, report) if case.root else None,
    )


def _outcome(case: Case, report: Report) -> Outcome:
    first = report.diagnoses[0] if report.diagnoses else None
    if case.right is Right.QUIET:
        return Outcome.RIGHT if first is None else Outcome.WRONG
    if case.right is Right.QUESTION:
        if report.status is Status.NEED_MORE or (first and first.confidence is Confidence.POSSIBLE):
            return Outcome.RIGHT
        return Outcome.ABSTAINED if first is None else Outcome.WRONG
    if case.right is Right.LINE:
        return Outcome.RIGHT if _line_right(case, report) else Outcome.WRONG
    if first is None:
        return Outcome.RIGHT if case.right is Right.OPEN else Outcome.ABSTAINED
    return Outcome.RIGHT if _fits(case, first.failure_class, first.family) else Outcome.WRONG


def _fits(case: Case, failure_class: str, family: str) -> bool:
    """Tell whether a diagnosis of that class may be called certain."""
    if case.right is Right.OPEN:
        return family != "attention-backend"
    if case.right is Right.LINE:
        return True
    return case.right is Right.CLASS and failure_class in case.classes


def _line_right(case: Case, report: Report) -> bool:
    if case.root is None or report.root_cause is None:
        return False
    number, text = case.root
    return report.root_cause.line == number or report.root_cause.text.startswith(text[:_TOLD] or "\0")
