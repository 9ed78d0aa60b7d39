"""Release numbers: PEP 440 ranges over the shipped releases, both ways. Not for facts of a release."""

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version


def parse_version(text: str) -> Version | None:
    """Return a release number in any PEP 440 spelling (`v0.11.2`, `0.11.2+cu128`), None for `main`."""
    try:
        return Version(text.strip())
    except InvalidVersion:
        return None


@lru_cache(maxsize=1024)
def parse_specifier(text: str) -> SpecifierSet:
    """Return a range of releases. Raises `InvalidSpecifier` (a ValueError) when it is not PEP 440."""
    return SpecifierSet(text)


def is_specifier(text: str) -> bool:
    """Tell whether the text is a PEP 440 range that is not empty."""
    try:
        return bool(text.strip()) and bool(parse_specifier(text))
    except InvalidSpecifier:
        return False


def within(version: Version, specifier: str) -> bool:
    """Tell whether a release lies in the range; pre-releases count by their order."""
    return parse_specifier(specifier).contains(version, prereleases=True)


def select(specifier: str | None, shipped: Iterable[Version]) -> tuple[Version, ...]:
    """Return the shipped releases that the range means, in their order; None means all."""
    if specifier is None:
        return tuple(shipped)
    return tuple(version for version in shipped if within(version, specifier))


def runs(chosen: Collection[Version], shipped: Sequence[Version]) -> tuple[tuple[Version, ...], ...]:
    """Split the chosen releases into runs without a shipped release between them, oldest first.

    `shipped` is ascending. Releases that are not shipped are left out.
    """
    found: list[tuple[Version, ...]] = []
    run: list[Version] = []
    for version in shipped:
        if version in chosen:
            run.append(version)
        elif run:
            found.append(tuple(run))
            run = []
    if run:
        found.append(tuple(run))
    return tuple(found)


def specifier(chosen: Collection[Version], shipped: Sequence[Version]) -> str | None:
    """Return the shortest range that means exactly the chosen ones of the shipped ones; None for no release.

    It claims nothing of releases after the newest shipped one, and names holes with `!=`.
    """
    parts = runs(chosen, shipped)
    if not parts:
        return None
    first, last = parts[0][0], parts[-1][-1]
    if first == last:
        return f"=={first}"
    holes = [version for version in shipped if first < version < last and version not in chosen]
    bounds = [f">={_lower(first, shipped)}", *(f"!={hole}" for hole in holes), _upper(last, shipped)]
    return ",".join(bounds)


def _lower(first: Version, shipped: Sequence[Version]) -> str:
    """Return a lower bound; a trailing `.0` says nothing and goes (`>=0.13`), unless that would be `0`."""
    return _short(first, shipped)


def _upper(last: Version, shipped: Sequence[Version]) -> str:
    after = next((version for version in shipped if version > last), None)
    if after is None:
        return f"<={last}"
    if after.is_postrelease or after.is_prerelease:
        return f"<={last}"  # `<0.6.6.post1` would exclude post releases of 0.6.6 by PEP 440's own rule
    return f"<{_short(after, shipped)}"


def _short(version: Version, shipped: Sequence[Version]) -> str:
    if version.is_postrelease or version.is_prerelease or len(version.release) < 3:
        return str(version)
    if version.release[-1] != 0 or any(
        other < version and other.release[:2] == version.release[:2] for other in shipped
    ):
        return str(version)
    return ".".join(str(part) for part in version.release[:-1])


def neighbours(version: Version, shipped: Sequence[Version]) -> tuple[Version | None, Version | None]:
    """Return the shipped releases just below (or equal) and just above a build that is not shipped."""
    public = Version(version.public)
    below = next((other for other in reversed(shipped) if other <= public), None)
    above = next((other for other in shipped if other > public), None)
    return below, above


def stand_ins(version: Version, shipped: Sequence[Version]) -> tuple[Version, ...]:
    """Return the shipped releases whose facts may speak for a build; empty outside the shipped range.

    A shipped release stands for itself, and for its local builds (`0.11.2+cu128`) and post releases. A
    pre-release or development build between two releases may be like either, so both are returned.
    """
    public = Version(version.public)
    if public in shipped:
        return (public,)
    below, above = neighbours(public, shipped)
    if below is not None and public.is_postrelease and Version(public.base_version) in shipped:
        return (below,)
    if below is None or above is None:
        return ()
    return (below, above)
