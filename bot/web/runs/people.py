"""Whoever sits before the page, as authorization knows people. Not for what they may."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.access.actor import ACTOR_ID, Actor, Surface
from bot.web.guard import PERSON

if TYPE_CHECKING:
    from aiohttp import web


def reader_of(request: web.Request) -> Actor:
    """Return who asks. Somebody whose id is none that a registry can hold is a bot, who may nothing."""
    person = request[PERSON]
    is_known = ACTOR_ID.fullmatch(person.id) is not None
    return Actor(
        Surface.CONSOLE, person.id, is_bot=person.is_bot or not is_known, source=f"page {request.path}"
    )
