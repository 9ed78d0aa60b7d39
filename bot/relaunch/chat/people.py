"""Whoever presses a button or gives a command, as authorization knows people. Not for what they may."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.chat.interface import Click
from bot.access.actor import ACTOR_ID, Actor, Surface, group_id

if TYPE_CHECKING:
    from adapters.chat.interface import IncomingMessage, Place

_SURFACES: Final = {"slack": Surface.SLACK, "discord": Surface.DISCORD, "console": Surface.CONSOLE}
#: platforms that tell groups of somebody with a press or a command
_TELLING: Final = frozenset({Surface.DISCORD})


class NobodyError(Exception):
    """The press comes from somewhere that proves nobody."""


def actor_of(done: Click | IncomingMessage) -> Actor:
    """Return who pressed, or gave a command. Raises `NobodyError`."""
    if isinstance(done, Click):
        ref, person, source = done.message, done.person, "click"
    else:
        ref, person, source = done.ref, done.author, "command"
    place = ref.place
    surface = _SURFACES.get(place.platform)
    if surface is None:
        raise NobodyError(f"{place.platform} proves nobody's identity")
    actor_id = person.id if surface is Surface.CONSOLE else f"{surface}:{place.team}:{person.id}"
    if not ACTOR_ID.fullmatch(actor_id):
        raise NobodyError(f"{surface} gave no id that could be one of a person")
    tells = surface in _TELLING
    return Actor(
        surface=surface,
        id=actor_id,
        groups=frozenset(group_id(surface, place.team, one) for one in done.groups) if tells else frozenset(),
        is_bot=person.is_bot,
        channel=channel_of(place),
        source=f"{source} {ref.id}",
    )


def channel_of(place: Place) -> str:
    """Return a place's channel as the registry writes channels."""
    if place.platform == "console":
        return f"console:{place.channel}"
    return f"{place.platform}:{place.team}:{place.channel}"
