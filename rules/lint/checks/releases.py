"""Checks the ranges of releases: every bound is a release, signals and fixes leave no hole.

Not what fixes do there.
"""

from collections.abc import Iterator

from packaging.version import Version

from rules.engine.rule.model import Rule
from rules.engine.versions import parse_specifier, select
from rules.lint.interface import Context, Finding


def check(rule: Rule, context: Context) -> Iterator[Finding]:
    """Yield bounds that are no release, empty ranges and holes."""
    own = context.releases_of(rule)
    yield from _bounds(rule.releases, ("releases",), context)
    if not own:
        yield Finding(f"`{rule.releases}` means no shipped release.", "Correct the range.", ("releases",))
        return
    for index, signal in enumerate(rule.signals):
        if signal.releases:
            place = ("signals", index, "releases")
            yield from _bounds(signal.releases, place, context)
            yield from _inside(f"signal `{signal.name}`", signal.releases, rule, place, context)
    for index, fix in enumerate(rule.fixes):
        place = ("fixes", index, "releases")
        yield from _bounds(fix.releases, place, context)
        yield from _inside(f"fix `{fix.id}`", fix.releases, rule, place, context)
    yield from _holes("signal", [context.releases_of(rule, one) for one in rule.signals], rule, context)
    if not rule.asks_only:
        yield from _holes("fix", [context.releases_of(rule, one) for one in rule.fixes], rule, context)


def _bounds(text: str, place: tuple[str | int, ...], context: Context) -> Iterator[Finding]:
    shipped = set(context.shipped)
    for clause in parse_specifier(text):
        bound = Version(clause.version.removesuffix(".*"))
        if bound not in shipped:
            yield Finding(f"`{clause}` names a release that was never published.",
                          "Use a release that `releases list` shows.", place)  # fmt: skip


def _inside(
    what: str, text: str, rule: Rule, place: tuple[str | int, ...], context: Context
) -> Iterator[Finding]:
    own = set(context.releases_of(rule))
    chosen = select(text, context.shipped)
    if not own.intersection(chosen):
        yield Finding(
            f"The {what} is for none of the rule's releases.", f"Stay within `{rule.releases}`.", place
        )


def _holes(what: str, ranges: list[tuple[Version, ...]], rule: Rule, context: Context) -> Iterator[Finding]:
    covered = {version for one in ranges for version in one}
    missing = [version for version in context.releases_of(rule) if version not in covered]
    if missing:
        named = context.named(missing)
        yield Finding(
            f"No {what} covers {named}.",
            f"Add one, or narrow the rule's range `{rule.releases}`.",
            (f"{what}s" if what == "signal" else "fixes",),
        )
