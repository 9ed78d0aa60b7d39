"""Sums over judged cases: per class, in all, and which rules only one thread supports. Not for printing."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rules.engine.report import Confidence
from tests.accuracy.cases import Right
from tests.accuracy.judging import Judged, Outcome


@dataclass(frozen=True, slots=True)
class Row:
    """One class of one file."""

    label: str
    cases: int
    right: int
    wrong: int
    abstained: int
    wrong_certain: int


def rows_per_class(judged: Iterable[Judged]) -> list[Row]:
    """Return a row per class, by name; questions are counted with the class that they hide."""
    groups: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        groups[one.case.label].append(one)
    return [row_of(label, groups[label]) for label in sorted(groups)]


def row_of(label: str, judged: Sequence[Judged]) -> Row:
    """Return the sums of some cases."""
    outcomes = [one.outcome for one in judged]
    return Row(
        label,
        len(judged),
        *(outcomes.count(outcome) for outcome in Outcome),
        sum(one.wrong_certain for one in judged),
    )


@dataclass(frozen=True, slots=True)
class Total:
    """So many of so many."""

    what: str
    right: int
    cases: int

    @property
    def share(self) -> float | None:
        """Return the share in percent; None of nothing."""
        return 100 * self.right / self.cases if self.cases else None


def totals(judged: Sequence[Judged]) -> list[Total]:
    """Return the sums that count, without those of which there is no case."""
    named = {
        "diagnosed, right first": Right.CLASS,
        "need-more or possible": Right.QUESTION,
        "negative, quiet": Right.QUIET,
        "negative, open": Right.OPEN,
        "root cause of a live run without a class": Right.LINE,
    }
    found = []
    for what, right in named.items():
        chosen = [one.outcome is Outcome.RIGHT for one in judged if one.case.right is right]
        found.append(Total(what, sum(chosen), len(chosen)))
    firsts = [one for one in judged if one.case.right is Right.CLASS and one.outcome is Outcome.RIGHT]
    possible = [one.first is not None and one.first[2] is Confidence.POSSIBLE for one in firsts]
    fixes = [one.fix_right for one in judged if one.fix_right is not None]
    lines = [one.line_right for one in judged if one.line_right is not None]
    certain = [one for one in judged if one.first is not None and one.first[2] is Confidence.CERTAIN]
    found += [
        Total("of those right first only called possible", sum(possible), len(firsts)),
        Total("group of the first fix", sum(fixes), len(fixes)),
        Total("line of the root cause in a live run", sum(lines), len(lines)),
        Total("wrong of those called certain", sum(one.wrong_certain for one in certain), len(certain)),
    ]
    return [total for total in found if total.cases]


def supported_by_one_thread(judged: Iterable[Judged]) -> dict[str, str]:
    """Return the rules that are right first in cases of one thread only, with a case of it.

    Nothing but that thread shows that such a rule knows a kind of failure and not one paste: without it the
    rule would have been written from nothing that the corpus holds. They are to be read, not to be dropped.
    """
    threads: dict[str, dict[str, str]] = defaultdict(dict)
    for one in judged:
        if one.first is not None and one.outcome is Outcome.RIGHT and one.case.right is not Right.OPEN:
            threads[one.first[0]].setdefault(one.case.thread, one.case.id)
    return {rule: next(iter(found.values())) for rule, found in sorted(threads.items()) if len(found) == 1}
