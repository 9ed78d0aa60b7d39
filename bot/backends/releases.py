"""The release that speaks for a version somebody wrote. Not for what is known of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.engine.versions import neighbours, parse_version, stand_ins

if TYPE_CHECKING:
    from rules.releases.release import Release, Releases


class NoFactsError(Exception):
    """There are no facts of what was asked for; `near` are the shipped releases next to it.

    None were sought when the text is no release number.
    """

    def __init__(self, text: str, near: tuple[str, ...], *, is_number: bool) -> None:
        super().__init__(f"there are no facts of vLLM {text}")
        self.text = text
        self.near = near
        self.is_number = is_number


def release_of(text: str, releases: Releases) -> Release:
    """Return the release that stands for a version: itself, its local and post builds, its candidates.

    Raises `NoFactsError`.
    """
    wanted = parse_version(text)
    if wanted is None:
        raise NoFactsError(text, (), is_number=False)
    known = releases.versions()
    found = stand_ins(wanted, known)
    if len(found) == 1:
        return releases.get(found[0])
    base = parse_version(wanted.base_version)
    if base in known:
        return releases.get(str(base))
    near = tuple(str(one) for one in neighbours(wanted, known) if one is not None)
    raise NoFactsError(text, near, is_number=True)
