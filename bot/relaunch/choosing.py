"""Which fix of a diagnosis is carried out on a server, for buttons and commands alike. Pure. Not a plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from bot.relaunch.planning.wanted import Wanted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.hosts.registry import Server
    from bot.relaunch.offer import Offer
    from rules.engine.report import Remedy


class NoSuchFixError(Exception):
    """The diagnosis has no fix of this name that a relaunch can carry out."""

    def __init__(self, fix: str, known: tuple[str, ...]) -> None:
        super().__init__(f"there is no fix {fix!a} to carry out: there is {', '.join(known)}")
        self.fix = fix
        self.known = known


@dataclass(frozen=True, slots=True)
class Choice:
    """What somebody chose beside the server."""

    #: id of the incident
    incident: str
    #: where it was asked for and is reported, as JSON
    origin: Mapping[str, Any]
    #: None: the first one that holds for the server's release
    fix: str | None = None
    is_forced: bool = False


def wanted_of(offer: Offer, server: Server, choice: Choice) -> Wanted:
    """Return what is asked of the desk. Raises `NoSuchFixError`."""
    return Wanted(
        server=server.name,
        remedy=remedy_for(offer, server.vllm_version, choice.fix),
        incident=choice.incident,
        fingerprint=offer.fingerprint,
        rule=offer.rule,
        rule_version=offer.rule_version,
        is_vision=offer.is_vision,
        is_forced=choice.is_forced,
        origin=choice.origin,
    )


def remedy_for(offer: Offer, version: str | None, fix: str | None = None) -> Remedy:
    """Return the first fix (of that name) that holds for a release; else simply the first.

    Raises `NoSuchFixError`.
    """
    named = [remedy for remedy in offer.remedies if fix is None or remedy.id == fix]
    if not named:
        raise NoSuchFixError(fix or "", tuple(dict.fromkeys(remedy.id for remedy in offer.remedies)))
    return next((remedy for remedy in named if holds(remedy.releases, version)), named[0])


def holds(releases: str, version: str | None) -> bool:
    """Tell whether a release is among those that a fix is for; one that nobody can read is not."""
    if version is None:
        return False
    try:
        return SpecifierSet(releases).contains(Version(version), prereleases=True)
    except (InvalidSpecifier, InvalidVersion):
        return False
