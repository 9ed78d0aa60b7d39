"""Writes the figures of a corpus as plain text. Not for reckoning them."""

from collections.abc import Iterable, Sequence
from typing import TextIO

from tests.accuracy.figures import Total, row_of, rows_per_class, supported_by_one_thread, totals
from tests.accuracy.judging import Judged, Outcome

_HEADS = ("cases", "right", "wrong", "abstained", "wrong certain")


def show(judged: Sequence[Judged], to: TextIO) -> None:
    """Write a table per file, what was not right, the sums, and which rules to read."""
    for file in dict.fromkeys(one.case.file for one in judged):
        chosen = [one for one in judged if one.case.file == file]
        _section(file, chosen, to)
    if len({one.case.file for one in judged}) > 1:
        _write(to, "", "all files", *_totals(totals(judged)))
    alone = supported_by_one_thread(judged)
    _write(to, "", f"rules that only one thread supports ({len(alone)}): read them for one paste's own words")
    width = max(map(len, alone), default=0)
    _write(to, *(f"  {rule:<{width}}  {case}" for rule, case in alone.items()))


def _section(file: str, judged: Sequence[Judged], to: TextIO) -> None:
    rows = [*rows_per_class(judged), row_of("all", judged)]
    width = max(len(row.label) for row in rows)
    _write(to, "", f"{file:<{width}}  " + "  ".join(_HEADS))
    for row in rows:
        counts = (row.cases, row.right, row.wrong, row.abstained, row.wrong_certain)
        cells = (f"{count or '-':>{len(head)}}" for count, head in zip(counts, _HEADS, strict=True))
        _write(to, f"{row.label:<{width}}  " + "  ".join(cells))
    missed = [one for one in judged if one.outcome is not Outcome.RIGHT]
    _write(to, "", *(f"  {_missed(one)}" for one in missed))
    wrong_fixes = [one.case.id for one in judged if one.fix_right is False]
    if wrong_fixes:
        _write(to, f"  first fix of another group: {', '.join(wrong_fixes)}")
    _write(to, *_totals(totals(judged)))


def _missed(one: Judged) -> str:
    got = " ".join(one.first) if one.first else ""
    wanted = (
        one.case.label if not one.case.classes else f"{one.case.right}: {', '.join(sorted(one.case.classes))}"
    )
    return f"{one.case.id}  {one.outcome}  wanted {wanted}, got {one.status} {got}".rstrip()


def _totals(found: Iterable[Total]) -> Iterable[str]:
    for total in found:
        yield f"  {total.what}: {total.right}/{total.cases} ({total.share:.1f} %)"


def _write(to: TextIO, *lines: str) -> None:
    to.writelines(f"{line}\n" for line in lines)
