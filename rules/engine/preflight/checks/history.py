"""In which other releases a flag or a variable is known. Not for what took its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.engine.preflight.reading.parsing import option_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from packaging.version import Version

    from rules.engine.preflight.case import Case
    from rules.releases.release import Release

#: the last older release that knows a setting, and the first newer one
Elsewhere = tuple["Version | None", "Version | None"]


def flag_elsewhere(case: Case, name: str) -> Elsewhere:
    """Return where a flag is known that the release of the case does not take."""

    def knows(release: Release) -> bool:
        return name in option_table(release) or ("." in name and release.flag(name) is not None)

    return _elsewhere(case, knows)


def variable_elsewhere(case: Case, name: str) -> Elsewhere:
    """Return where a variable is known that the release of the case does not read."""
    return _elsewhere(case, lambda release: release.variable(name) is not None)


def _elsewhere(case: Case, knows: Callable[[Release], bool]) -> Elsewhere:
    versions = case.releases.versions()
    older = (one for one in reversed(versions) if one < case.version)
    newer = (one for one in versions if one > case.version)
    last = next((one for one in older if knows(case.releases.get(one))), None)
    first = next((one for one in newer if knows(case.releases.get(one))), None)
    return last, first
