"""Resolves the fixes of a rule for the releases and the machine at hand.

Not for their words and not for asking.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from packaging.version import Version

from rules.engine.remedy.building import Builder, Refusal
from rules.engine.remedy.doubts import Doubt, doubts_of, merged
from rules.engine.remedy.proving import Proving, prove
from rules.engine.report import Change, FixKind
from rules.engine.rule.model import Fix
from rules.engine.seams import Case
from rules.engine.versions import places, within
from rules.releases.release import Releases

#: kinds that change how the server is launched
SETTINGS = (FixKind.UNSET_ENV, FixKind.SET_ENV, FixKind.SET_FLAG, FixKind.DROP_FLAG)
#: kinds that hold in any release, so also where the release lies outside the shipped facts
_NOT_BOUND = (
    FixKind.HOST_RESOURCE, FixKind.MODEL_FILES, FixKind.NETWORK, FixKind.RESTART, FixKind.HARDWARE,
    FixKind.UPSTREAM_BUG,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a fix comes to in one release; equal outcomes of neighbouring releases are one remedy."""

    change: Change | None
    doubts: tuple[Doubt, ...]
    proofs: tuple[Proving, ...]


@dataclass(frozen=True, slots=True)
class Resolved:
    """A fix with what it comes to in a run of releases."""

    fix: Fix
    outcome: Outcome
    #: consecutive shipped releases, ascending; empty outside the shipped facts
    releases: tuple[Version, ...]


def resolve(case: Case, releases: Releases) -> tuple[Resolved, ...]:
    """Return what is offered: fixes in the order of the rule, of each the newest releases first."""
    if not case.releases:
        return tuple(
            Resolved(fix, Outcome(None, _doubts(fix, case), ()), ())
            for fix in case.rule.fixes
            if fix.kind in _NOT_BOUND and _may(fix, case)
        )
    shipped = releases.versions()
    builders = {version: Builder(releases.get(version), case) for version in case.releases}
    found: list[Resolved] = []
    for fix in case.rule.fixes:
        conditions = _conditions(fix, case)
        if isinstance(conditions, Refusal):
            continue
        outcomes = [
            (version, outcome)
            for version, builder in builders.items()
            if within(version, fix.releases)
            and isinstance(outcome := _outcome(fix, builder, conditions), Outcome)
        ]
        found.extend(reversed(_runs(fix, outcomes, shipped)))
    return tuple(found)


def _conditions(fix: Fix, case: Case) -> tuple[Doubt, ...] | Refusal:
    """Return what is in doubt whatever the release, or why the fix is out."""
    if not _may(fix, case):
        return Refusal("its condition does not hold")
    missing = _packages(fix, case)
    return missing if isinstance(missing, Refusal) else (*_doubts(fix, case), *missing)


def _outcome(fix: Fix, builder: Builder, conditions: tuple[Doubt, ...]) -> Outcome | Refusal:
    built = builder.build(fix)
    if isinstance(built, Refusal):
        return built
    proofs = prove(fix.verify, built.change, builder.release, builder.case)
    change = built.change if fix.change or built.change.flags_unset else None
    return Outcome(change, merged((*conditions, *built.doubts)), proofs)


def _may(fix: Fix, case: Case) -> bool:
    return fix.when is None or case.holds(fix.when) is not False


def _doubts(fix: Fix, case: Case) -> tuple[Doubt, ...]:
    if fix.when is None or case.holds(fix.when) is not None:
        return ()
    return doubts_of(fix.when, case)


def _packages(fix: Fix, case: Case) -> list[Doubt] | Refusal:
    """Check the packages that a fix needs: a package list that lacks one rules the fix out."""
    known = case.facts.packages
    missing = [name for name in fix.needs if name not in known]
    # a list of packages holds vLLM itself; a lone version that some line mentions is no list
    if missing and "vllm" in known and "torch" in known:
        return Refusal(f"{missing[0]} is not installed")
    return [Doubt("packages", "if.package", (("package", name),)) for name in missing]


def _runs(fix: Fix, outcomes: list[tuple[Version, Outcome]], shipped: Sequence[Version]) -> list[Resolved]:
    """Join neighbouring releases with equal outcomes."""
    place = places(tuple(shipped))
    found: list[Resolved] = []
    for version, outcome in outcomes:
        last = found[-1] if found else None
        if last and last.outcome == outcome and place[version] == place[last.releases[-1]] + 1:
            found[-1] = Resolved(fix, outcome, (*last.releases, version))
        else:
            found.append(Resolved(fix, outcome, (version,)))
    return found
