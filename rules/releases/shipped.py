"""The releases whose facts are shipped, as objects that answer questions. Not for how facts are stored."""

from __future__ import annotations

from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from rules.releases.attention import SettingAnswers, TextAnswers, TowerAnswers
from rules.releases.places import AttentionPlaces
from rules.releases.release import UnknownReleaseError
from rules.releases.store import Shelf
from rules.releases.surface import Surface

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rules.releases.model import Attention, Message, Record

DATA = Path(__file__).parent / "data"


class ShippedRelease(TextAnswers, TowerAnswers, SettingAnswers, AttentionPlaces, Surface):
    """The facts of one release; each part is read when it is first asked for."""

    def __init__(self, shelf: Shelf, version: Version) -> None:
        self._shelf = shelf
        self._version = version

    @property
    def version(self) -> Version:
        """Return the release."""
        return self._version

    def messages(self) -> Iterator[Message]:
        """Yield every text that can be raised or logged (read on first use: it is large)."""
        yield from self._messages

    def record(self) -> Record:
        """Return everything that is stored of the release."""
        return self._shelf.record(str(self._version))

    @cached_property
    def _attention(self) -> Attention:  # type: ignore[override]  # read when it is first asked for
        return self._shelf.attention(str(self._version))

    @cached_property
    def _messages(self) -> tuple[Message, ...]:
        return self._shelf.messages(str(self._version))


class ShippedReleases:
    """All releases of one data folder."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._versions = shelf.versions()
        self._known = frozenset(self._versions)
        self._releases: dict[Version, ShippedRelease] = {}

    def versions(self) -> tuple[Version, ...]:
        """Return the shipped releases in ascending order."""
        return self._versions

    def texts(self) -> Iterator[tuple[str, str, int]]:
        """Yield every text of any release, its kind, and the releases that hold it, a bit for each."""
        return self._shelf.texts()

    def texts_key(self) -> str:
        """Return what changes whenever `texts` does."""
        return self._shelf.texts_key()

    def get(self, version: Version | str) -> ShippedRelease:
        """Return one release; a local part (`+cu128`) is ignored.

        Raises `UnknownReleaseError` when it is not shipped.
        """
        if isinstance(version, Version) and version in self._releases:
            return self._releases[version]
        try:
            wanted = Version(Version(str(version)).public)
        except InvalidVersion as error:
            raise UnknownReleaseError(str(version), self._versions) from error
        if wanted not in self._known:
            raise UnknownReleaseError(str(version), self._versions)
        # 0.11 is 0.11.0, but only the shipped spelling names a file.
        shipped = next(one for one in self._versions if one == wanted)
        if shipped not in self._releases:
            self._releases[shipped] = ShippedRelease(self._shelf, shipped)
        return self._releases[shipped]


@cache
def load_releases(folder: Path = DATA) -> ShippedReleases:
    """Return the releases of a data folder (the shipped one by default), once per process and folder."""
    return ShippedReleases(Shelf(lambda file: (folder / file).read_bytes()))
