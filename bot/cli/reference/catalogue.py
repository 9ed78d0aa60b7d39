"""The pages of rules and classes, from the catalogue. Not for what a rule says."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rules.engine.rule.catalogue import Catalogue, FailureClass
    from rules.engine.rule.model import Rule


def classes_page(catalogue: Catalogue) -> str:
    """Return the table of classes, with the rules of each."""
    parts = ["# Classes of failures", "", "Every diagnosis carries one of these words in `class`."]
    for family, classes in groupby(catalogue.classes, key=lambda one: one.family):
        parts += ["", f"## Family `{family}`", "", "| class | what it is | rules |", "|--|--|--|"]
        parts += [_class_row(one, catalogue.rules) for one in classes]
    return "\n".join(parts) + "\n"


def rules_page(catalogue: Catalogue) -> str:
    """Return the list of all rules, each with a link to its page."""
    rows = [
        f"| [{rule.id}]({rule.id}.md) | {rule.texts['en'].title} | `{rule.failure_class}` | {rule.status} |"
        for rule in catalogue.rules
    ]
    head = ["# Rules", "", "One page per rule; `vllm-diagnose explain RULE` prints the same.", ""]
    return "\n".join([*head, "| rule | what it finds | class | status |", "|--|--|--|--|", *rows, ""])


def _class_row(failure_class: FailureClass, rules: tuple[Rule, ...]) -> str:
    own = [rule.id for rule in rules if rule.failure_class == failure_class.name]
    links = ", ".join(f"[{rule}](rules/{rule}.md)" for rule in own)
    return f"| `{failure_class.name}` | {failure_class.description} | {links or 'none yet'} |"
