"""Asks Discord which roles somebody has now. Not for what they allow, nor for those that come with a press."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import discord

from adapters.chat.discord.refusals import asking
from adapters.chat.short_memory import ShortMemory

if TYPE_CHECKING:
    from adapters.chat.discord.gateway.client import Client

_MOST_PEOPLE: Final = 1_000


class Roles:
    """The roles of people in guilds, read one by one: that takes no intent."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._known: ShortMemory[tuple[str, str], frozenset[str]] = ShortMemory(_MOST_PEOPLE)

    async def of(self, guild: str, person_id: str, among: frozenset[str], age_s: float) -> frozenset[str]:
        """Return which of these roles a person has, as of `age_s` seconds ago at most. Raises `ChatError`."""
        known = self._known.find((guild, person_id), age_s)
        if known is None:
            known = await self._ask(guild, person_id)
            self._known.keep((guild, person_id), known)
        return known & among

    async def _ask(self, guild: str, person_id: str) -> frozenset[str]:
        if not (guild.isdigit() and person_id.isdigit()):
            return frozenset()
        with asking("looking at somebody's roles", "the bot its place in the server"):
            try:
                member = await self._client.http.get_member(int(guild), int(person_id))
            except discord.NotFound:
                # they have left
                return frozenset()
        # a role with the guild's own number is everybody's
        return frozenset({guild, *(str(role) for role in member["roles"])})
