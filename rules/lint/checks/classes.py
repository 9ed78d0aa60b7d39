"""Checks that a rule's class is one of the catalogue's, in the family that the catalogue gives it."""

from collections.abc import Iterator

from rules.engine.rule.model import Rule
from rules.lint.interface import Context, Finding


def check(rule: Rule, context: Context) -> Iterator[Finding]:
    """Yield a class that does not exist, or one of another family."""
    known = {one.name: one for one in context.catalogue.classes}
    found = known.get(rule.failure_class)
    if found is None:
        yield Finding(f"There is no class `{rule.failure_class}`.", "Use one of classes.yaml.", ("class",))
    elif found.family != rule.family:
        yield Finding(
            f"The class belongs to the family `{found.family}`.", "Correct the family.", ("family",)
        )
