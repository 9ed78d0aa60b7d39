"""Checks fix validity per release.

Each flag, variable, value and backend of a fix exists there and is not deprecated.
"""

from collections.abc import Iterator

from rules.engine.remedy.building import BACKEND_SETTINGS, UNKNOWN_FLAGS
from rules.engine.remedy.words import placeholders
from rules.engine.report import FixKind
from rules.engine.rule.model import ChangeTemplate, Fix, Impact, Pick, Rule
from rules.engine.versions import select
from rules.lint.interface import Context, Finding
from rules.releases.model import Part
from rules.releases.release import Release

_TO_A_RELEASE = (FixKind.UPGRADE, FixKind.DOWNGRADE)
#: flags whose number a launch may have beyond what a fix writes down
_LIMITS = frozenset({"--gpu-memory-utilization", "--max-num-seqs", "--max-num-batched-tokens"})


def check(rule: Rule, context: Context) -> Iterator[Finding]:
    """Yield what a fix names that some of its releases do not take."""
    seen: set[str] = set()
    for index, fix in enumerate(rule.fixes):
        place = ("fixes", index)
        if fix.id in seen:
            yield Finding(f"Two fixes are called `{fix.id}`.", "Rename one.", (*place, "id"))
        seen.add(fix.id)
        yield from _target(fix, place, context)
        yield from _kind(fix, place)
        yield from _toward(fix, place)
        if fix.change is not None:
            yield from _change(rule, fix, place, context)


def _target(fix: Fix, place: tuple[str | int, ...], context: Context) -> Iterator[Finding]:
    if fix.kind not in _TO_A_RELEASE:
        return
    chosen = select(fix.target, context.shipped) if fix.target else ()
    if not chosen:
        yield Finding(
            f"Fix `{fix.id}` names no release to move to.", "Add `target`, a range of releases.", place
        )
        return
    stays = set(chosen).intersection(select(fix.releases, context.shipped))
    if stays:
        named = context.named(stays)
        yield Finding(
            f"Fix `{fix.id}` moves {named} to itself.",
            "Keep `releases` and `target` apart.",
            (*place, "target"),
        )


def _kind(fix: Fix, place: tuple[str | int, ...]) -> Iterator[Finding]:
    change = fix.change or ChangeTemplate()
    wanted = {
        FixKind.UNSET_ENV: bool(change.env_unset),
        FixKind.SET_ENV: bool(change.env_set),
        FixKind.SET_FLAG: bool(change.flags_set),
        FixKind.DROP_FLAG: bool(change.flags_unset),
    }
    if fix.change is not None and wanted.get(fix.kind) is False:
        yield Finding(
            f"Fix `{fix.id}` is a {fix.kind}, but its change does none.",
            "Correct kind or change.",
            (*place, "kind"),
        )
    if fix.change is not None and fix.kind not in wanted:
        yield Finding(f"A {fix.kind} changes nothing of a launch.", "Drop `change`.", (*place, "change"))


def _toward(fix: Fix, place: tuple[str | int, ...]) -> Iterator[Finding]:
    """Yield a limit that is set to a number of the rule, while nobody says whether that is to be less or more."""
    change = fix.change or ChangeTemplate()
    for name, value in change.flags_set.items():
        constant = isinstance(value, str) and not placeholders(value)
        if name in _LIMITS and constant and fix.toward is None:
            yield Finding(
                f"Fix `{fix.id}` may move {name} the wrong way.",
                "Say `toward: lower` or `toward: higher`.",
                (*place, "change"),
            )


def _change(rule: Rule, fix: Fix, place: tuple[str | int, ...], context: Context) -> Iterator[Finding]:
    """Yield each reason once, with the releases it holds for."""
    for name in _strangers(fix.change or ChangeTemplate(), context):
        yield Finding(
            f"Fix `{fix.id}`: no release ever knew {name}.", "Correct the name.", (*place, "change")
        )
    versions = context.releases_of(rule, fix)
    told = {version: tuple(_reasons(rule, fix, context.releases.get(version))) for version in versions}
    for reason in dict.fromkeys(reason for reasons in told.values() for reason in reasons):
        named = context.named([version for version in versions if reason in told[version]])
        yield Finding(f"Fix `{fix.id}`: {reason} in {named}.", "Narrow `releases`, or change the setting.",
                      (*place, "change"))  # fmt: skip


def _strangers(change: ChangeTemplate, context: Context) -> Iterator[str]:
    """Yield what is to be removed and never was: where removing something unknown is the point, only this tells."""
    releases = [context.releases.get(version) for version in context.shipped]
    for name in change.env_unset:
        if not placeholders(name) and not any(release.variable(name) for release in releases):
            yield name
    for name in change.flags_unset:
        if not placeholders(name) and not any(release.flag(name) for release in releases):
            yield name


def _reasons(rule: Rule, fix: Fix, release: Release) -> Iterator[str]:
    change = fix.change or ChangeTemplate()
    for name in change.env_unset:
        yield from _unset(name, rule, fix, release)
    for name, value in change.env_set.items():
        variable = release.variable(name)
        yield from _setting(
            name, exists=variable is not None, deprecated=variable.deprecated if variable else None
        )
        yield from _value(name, value, variable.choices if variable else None, release)
        yield from _reach(name, fix, release)
    for name, value in change.flags_set.items():
        flag = release.flag(name)
        yield from _setting(name, exists=flag is not None, deprecated=flag.deprecated if flag else None)
        yield from _value(name, value, flag.choices if flag else None, release)
        yield from _reach(name, fix, release)
    for name in change.flags_unset:
        if release.flag(name) is None and rule.failure_class != UNKNOWN_FLAGS:
            yield f"{name} does not exist"
        yield from _reach(name, fix, release)


def _unset(name: str, rule: Rule, fix: Fix, release: Release) -> Iterator[str]:
    """Yield a variable that the release does not know, unless removing it is the point of the rule."""
    ignored_here = rule.impact is Impact.NO_EFFECT or fix.part is not None or bool(placeholders(name))
    ignored_here = bool(ignored_here) or rule.failure_class == "env-var-ignored"
    taken_by_flag = bool((fix.change or ChangeTemplate()).flags_set)
    if release.variable(name) is None and not ignored_here:
        yield f"{name} is not known"
    if fix.part is not None and not taken_by_flag:
        yield from _reach(name, fix, release)


def _setting(name: str, *, exists: bool, deprecated: str | None) -> Iterator[str]:
    if not exists:
        yield f"{name} does not exist"
    elif deprecated:
        yield f"{name} is deprecated"


def _value(name: str, value: str | Pick, choices: tuple[str, ...] | None, release: Release) -> Iterator[str]:
    decides = release.reach(name).parts if name in BACKEND_SETTINGS else ()
    candidates = value.prefer if isinstance(value, Pick) else (value,)
    if any(placeholders(one) for one in candidates):
        return
    if isinstance(value, Pick):
        if not any(release.backend(one) for one in candidates):
            yield f"no value that {name} may pick exists"
        return
    if decides and release.backend(value) is None:
        yield f"there is no backend {value} for {name}"
    elif choices is not None and value not in choices:
        yield f"{name} does not take `{value}`"


def _reach(name: str, fix: Fix, release: Release) -> Iterator[str]:
    if fix.part is not None and Part(fix.part) not in release.reach(name).parts:
        yield f"{name} does not reach the {fix.part}"
