"""Runs every check over every rule and leaves out what is excluded for a while.

Not for the checks themselves.
"""

from datetime import date
from pathlib import Path

from rules.engine.rule.catalogue import Catalogue
from rules.engine.rule.model import Rule, RuleStatus
from rules.lint import drafts
from rules.lint.checks import (
    classes,
    fixes,
    identity,
    matching,
    phrases,
    references,
    releases,
    safety,
    samples,
    templates,
    texts,
    verification,
)
from rules.lint.exclusions import Exclusion, read_exclusions
from rules.lint.interface import Checks, Context, Finding, Issue, Severity
from rules.releases.release import Releases

CHECKS: Checks = {
    "identity": identity.check,
    "releases": releases.check,
    "matching": matching.check,
    "fixes": fixes.check,
    "safety": safety.check,
    "texts": texts.check,
    "phrases": phrases.check,
    "samples": samples.check,
    "verification": verification.check,
    "references": references.check,
    "classes": classes.check,
    "templates": templates.check,
    "drafts": drafts.check,
}


def lint(
    catalogue: Catalogue, releases: Releases, today: date | None = None, checks: Checks | None = None
) -> tuple[Issue, ...]:
    """Return all issues of a catalogue, by file and line.

    `today` is what exclusions expire against; without it none does. `checks` runs some of the checks only.
    """
    context = Context(catalogue, releases)
    exclusions, issues = read_exclusions(set(CHECKS), today)
    for rule in catalogue.rules:
        if rule.status is RuleStatus.RETIRED:
            continue
        for name, check in (checks or CHECKS).items():
            found = check(rule, context)
            issues += [
                _issue(rule, name, one, context) for one in found if not _excluded(rule, name, exclusions)
            ]
    return tuple(sorted(issues, key=lambda issue: (str(issue.file), issue.line, issue.check, issue.message)))


def errors(issues: tuple[Issue, ...]) -> tuple[Issue, ...]:
    """Return the issues that make a catalogue unsound."""
    return tuple(issue for issue in issues if issue.severity is Severity.ERROR)


def _issue(rule: Rule, check: str, finding: Finding, context: Context) -> Issue:
    folder = rule.folder or Path(rule.id)
    file = folder / (finding.file or "rule.yaml")
    line = finding.at if finding.file else context.line(rule, finding.place)
    return Issue(rule.id, check, finding.severity, file, line, finding.message, finding.suggestion)


def _excluded(rule: Rule, check: str, exclusions: tuple[Exclusion, ...]) -> bool:
    return any(one.rule == rule.id and one.check == check for one in exclusions)
