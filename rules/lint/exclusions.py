"""Exclusions: a check that a rule need not pass for a while, with a reason and a day on which that ends.

Not for rules.
"""

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from rules.engine.rule.yaml_file import YamlFile, read_yaml
from rules.lint.interface import Issue, Severity

FILE = Path(__file__).parent / "exclusions.yaml"
_KEYS = {"rule", "check", "reason", "expires"}


@dataclass(frozen=True, slots=True)
class Exclusion:
    """One check of one rule that is left out."""

    rule: str
    check: str
    reason: str
    expires: date


def read_exclusions(
    checks: set[str], today: date | None, file: Path = FILE
) -> tuple[tuple[Exclusion, ...], list[Issue]]:
    """Return what is excluded today, and what is wrong with the file.

    An expired entry is an error and excludes nothing.
    """
    read = read_yaml(file)
    found: list[Exclusion] = []
    issues: list[Issue] = [_issue(read, fault.line, fault.message) for fault in read.faults]
    for index, entry in enumerate(read.data or []):
        line = read.line((index,))
        if not isinstance(entry, dict) or set(entry) != _KEYS or not isinstance(entry["expires"], date):
            issues.append(
                _issue(read, line, "An exclusion needs rule, check, reason and expires (YYYY-MM-DD).")
            )
        elif entry["check"] not in checks:
            issues.append(_issue(read, line, f"There is no check `{entry['check']}`."))
        elif today is not None and entry["expires"] < today:
            issues.append(
                _issue(read, line, f"The exclusion of `{entry['rule']}` expired on {entry['expires']}.")
            )
        else:
            found.append(Exclusion(entry["rule"], entry["check"], entry["reason"], entry["expires"]))
    return tuple(found), issues


def _issue(read: YamlFile, line: int, message: str) -> Issue:
    return Issue(
        "-", "exclusions", Severity.ERROR, read.path, line, message, "Mend the rule and remove the entry."
    )
