"""The language model's side of a matrix: every backend of the release, tried ones first. Not for encoders."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rules.engine.backend_matrix.kinds import model_kind, never_meant
from rules.engine.backend_matrix.limits import declared_limits, launch_limits
from rules.engine.backend_matrix.question import PACKAGES, package_reason
from rules.engine.backend_matrix.rows import SHOWN_FIRST, Reason, Row, Side, Verdict, Why
from rules.engine.remedy.accepts import text_accepts

if TYPE_CHECKING:
    from rules.engine.backend_matrix.question import Question
    from rules.releases.model import Backend


def text_side(question: Question) -> Side:
    """Return every backend of the release: those it tries by itself in their order, then the others."""
    release = question.release
    rows = {backend.name: _row(question, backend) for backend in release.backends()}
    order = _order(question)
    tried = [name for name in order if name in rows and rows[name].verdict is not Verdict.FAILS]
    for number, name in enumerate(tried, start=1):
        rows[name] = replace(rows[name], place=number)
    default, default_with = _default([rows[name] for name in tried])
    if default is not None:
        rows[default] = replace(rows[default], is_default=True)
    others = [row for name, row in rows.items() if name not in tried]
    others.sort(key=lambda row: SHOWN_FIRST.index(row.verdict))
    place = release.text_order_place() if tried and question.where.platform == "cuda" else None
    return Side((*(rows[name] for name in tried), *others), default, default_with, place)


def _order(question: Question) -> tuple[str, ...]:
    where = question.where
    if where.platform == "cpu":
        own = "CPU_MLA" if where.mla else "CPU_ATTN"
        return (own,) if question.release.backend(own) is not None else ()
    return question.release.text_order(where) or ()


def _default(tried: list[Row]) -> tuple[str | None, tuple[tuple[str, str], ...]]:
    """Return the first that works; before it may stand some that only lack a package."""
    with_package: list[tuple[str, str]] = []
    for row in tried:
        if row.verdict is Verdict.WORKS:
            return row.backend, tuple(with_package)
        package = lacking_package(row)
        if package is None:
            break
        with_package.append((package, row.backend))
    return None, tuple(with_package)


def lacking_package(row: Row) -> str | None:
    """Return the package without which a row stays open; None when something else is open too."""
    packages = [dict(reason.values)["package"] for reason in row.reasons if reason.why is Why.PACKAGE]
    return packages[0] if len(packages) == len(row.reasons) == 1 else None


def _row(question: Question, backend: Backend) -> Row:
    never = never_meant(question, backend)
    if never is not None:
        return Row(backend.name, Verdict.FAILS, (never,))
    of_kind = list(model_kind(question, backend))
    other_kind = [reason for answer, reason in of_kind if answer is False]
    if other_kind:
        # beside that the limits say nothing more
        return Row(backend.name, Verdict.FAILS, _once(other_kind))
    accepts = _accepts(question, backend)
    findings = [*of_kind, *launch_limits(question, backend)]
    if accepts is not True:
        findings += declared_limits(question, backend)
    refused = [reason for answer, reason in findings if answer is False]
    if accepts is False and not refused:
        refused = [Reason(Why.LIMITS, (), backend.source)]
    if refused:
        return Row(backend.name, Verdict.FAILS, _once(refused))
    unknown = [reason for _, reason in findings]
    if accepts is None and not unknown:
        unknown = [Reason(Why.NOT_COMPUTED if question.where.platform != "cuda" else Why.RUN_TIME)]
    needed = backend.package or PACKAGES.get(backend.name)
    package = package_reason(question, needed) if needed else None
    if package is not None and package.why is Why.PACKAGE:
        unknown.append(package)
    if unknown:
        return Row(backend.name, Verdict.OPEN, _once(unknown))
    return Row(backend.name, Verdict.WORKS, () if package is None else (package,))


def _accepts(question: Question, backend: Backend) -> bool | None:
    """Return what the facts say of the limits; None where they leave it open."""
    where = question.where
    if where.platform == "cpu" and backend.name in {"CPU_ATTN", "CPU_MLA"}:
        return True
    if backend.capabilities == ():
        return None
    return text_accepts(question.release, backend.name, where)


def _once(reasons: list[Reason]) -> tuple[Reason, ...]:
    return tuple(dict.fromkeys(reasons))
