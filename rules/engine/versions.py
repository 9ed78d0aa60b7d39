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


@lru_cache(maxsize=8192)
def within(version: Version, specifier: str) -> bool:
    """Tell whether a release lies in the range; pre-releases count by their order."""
    return parse_specifier(specifier).contains(version, prereleases=True)


def select(specifier: str | None, shipped: Iterable[Version]) -> tuple[Version, ...]:
    """Return the shipped releases that the range means, in their order; None means all."""
    if specifier is None:
        return tuple(shipped)
    return tuple(version for version in shipped if within(version, specifier))


@lru_cache(maxsize=8)
def places(shipped: tuple[Version, ...]) -> dict[Version, int]:
    """Return the place of each shipped release in their order."""
    return {version: index for index, version in enumerate(shipped)}


def runs(chosen: Collection[Version], shipped: Sequence[Version]) -> tuple[tuple[Version, ...], ...]:
    """Split the chosen releases into runs without a shipped release between them, oldest first.

    `shipped` is ascending. Releases that are not shipped are left out.
    """
    found: list[tuple[Version, ...]] = []
    run: list[Version] = []
    chosen = frozenset(chosen)
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
    chosen = frozenset(chosen)
    place = places(tuple(shipped))
    known = sorted(place[version] for version in chosen if version in place)
    if not known:
        return None
    first, last = known[0], known[-1]
    if first == last:
        return f"=={shipped[first]}"
    holes = sorted(set(range(first, last)).difference(known))
    bounds = [
        f">={_short(shipped[first])}",
        *(f"!={shipped[hole]}" for hole in holes),
        _upper(last, shipped),
    ]
    return ",".join(bounds)


def _upper(place: int, shipped: Sequence[Version]) -> str:
    last = shipped[place]
    if place + 1 == len(shipped):
        return f"<={last}"
    after = shipped[place + 1]
    if after.is_postrelease or after.is_prerelease:
        return f"<={last}"  # `<0.6.6.post1` would exclude post releases of 0.6.6 by PEP 440's own rule
    return f"<{_short(after)}"


def _short(version: Version) -> str:
    """Return a bound without a trailing `.0`, which says nothing (`>=0.13`)."""
    if (
        version.is_postrelease
        or version.is_prerelease
        or len(version.release) < 3
        or version.release[-1] != 0
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
