"""Checks the references: where a reader can see the failure and the code that raises it."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from rules.engine.rule.model import Rule
from rules.lint.interface import Context, Finding


def check(rule: Rule, context: Context) -> Iterator[Finding]:
    """Yield missing, repeated and unsafe references, and relations to rules that do not exist."""
    if not rule.references:
        yield Finding(
            "It names no source.", "Add the issue or the file that it was learnt from.", ("references",)
        )
    for index, url in enumerate(rule.references):
        place = ("references", index)
        parts = urlsplit(url)
        if parts.scheme != "https" or not parts.hostname:
            yield Finding(f"`{url}` is no https address.", "Use https.", place)
        if rule.references.count(url) > 1 and rule.references.index(url) != index:
            yield Finding(f"`{url}` stands twice.", "Keep one.", place)
    for slot in ("absorbs", "rivals"):
        for index, other in enumerate(getattr(rule, slot)):
            if other == rule.id or context.catalogue.rule(other) is None:
                yield Finding(
                    f"`{slot}` names `{other}`, which is no other rule.", "Correct the id.", (slot, index)
                )
