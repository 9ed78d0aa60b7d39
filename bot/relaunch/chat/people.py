"""Whoever presses a button, as authorization knows people. Not for what they may."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.access.actor import ACTOR_ID, Actor, Surface

if TYPE_CHECKING:
    from adapters.chat.interface import Click, Place

_SURFACES: Final = {"slack": Surface.SLACK, "discord": Surface.DISCORD, "console": Surface.CONSOLE}
#: how a platform's groups stand in the registry, where it tells them with a press
_GROUPS: Final = {Surface.DISCORD: "role"}


class NobodyError(Exception):
    """The press comes from somewhere that proves nobody."""


def actor_of(click: Click) -> Actor:
    """Return who pressed. Raises `NobodyError`."""
    place, person = click.message.place, click.person
    surface = _SURFACES.get(place.platform)
    if surface is None:
        raise NobodyError(f"{place.platform} proves nobody's identity")
    actor_id = person.id if surface is Surface.CONSOLE else f"{surface}:{place.team}:{person.id}"
    if not ACTOR_ID.fullmatch(actor_id):
        raise NobodyError(f"{surface} gave no id that could be one of a person")
    kind = _GROUPS.get(surface)
    return Actor(
        surface=surface,
        id=actor_id,
        groups=frozenset(f"{surface}:{place.team}:{kind}:{group}" for group in click.groups)
        if kind
        else frozenset(),
        is_bot=person.is_bot,
        channel=channel_of(place),
        source=f"click {click.message.id}",
    )


def channel_of(place: Place) -> str:
    """Return a place's channel as the registry writes channels."""
    if place.platform == "console":
        return f"console:{place.channel}"
    return f"{place.platform}:{place.team}:{place.channel}"
