"""Checks who a rule is: its id, its folder, its title. Not its class."""

from collections.abc import Iterator

from rules.engine.rule.catalogue import SHIPPED
from rules.engine.rule.model import Rule
from rules.lint.interface import Context, Finding

#: what the id of an operator's own rule begins with, so that no later shipped rule takes it
PRIVATE_PREFIX = "local-"


def check(rule: Rule, context: Context) -> Iterator[Finding]:
    """Yield what is wrong with id, folder and title."""
    if rule.folder and rule.folder.name != rule.id:
        yield Finding(f"The id differs from the folder `{rule.folder.name}`.", "Rename one of them.", ("id",))
    if rule.folder and rule.folder.parent.name != rule.family and _is_shipped(rule):
        yield Finding(f"It lies in `{rule.folder.parent.name}`, but its family is `{rule.family}`.",
                      "Move the folder or correct the family.", ("family",))  # fmt: skip
    if rule.folder and not _is_shipped(rule) and not rule.id.startswith(PRIVATE_PREFIX):
        yield Finding("A private rule's id could clash with a later shipped rule.",
                      f"Begin it with `{PRIVATE_PREFIX}`.", ("id",))  # fmt: skip
    for language, text in rule.texts.items():
        same = [
            other.id
            for other in context.catalogue.rules
            if other.id != rule.id and _title(other, language) == text.title
        ]
        if same and rule.failure_class not in {_class(context, other) for other in same}:
            yield Finding(
                f"`{same[0]}` has the same title.",
                "Say what tells the two apart.",
                file=f"text/{language}.md",
            )


def _is_shipped(rule: Rule) -> bool:
    return rule.folder is not None and SHIPPED in rule.folder.parents


def _title(rule: Rule, language: str) -> str | None:
    text = rule.texts.get(language)
    return text.title if text else None


def _class(context: Context, rule_id: str) -> str | None:
    rule = context.catalogue.rule(rule_id)
    return rule.failure_class if rule else None
