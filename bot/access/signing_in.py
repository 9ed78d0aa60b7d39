"""One-time links and sessions. Not for what a person may do."""

from __future__ import annotations

import os
import pwd
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from adapters.chat.interface import Person
from bot.access.tokens import hash_of, new_token

if TYPE_CHECKING:
    from bot.clock import Clock
    from bot.store.interface import PeopleStore, Session

#: how long a one-time link works
LINK_LIFE = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class SigningIn:
    """How people are recognised."""

    people: PeopleStore
    clock: Clock
    session_life: timedelta

    async def make_link_token(self, person: Person) -> str:
        """Return the secret of a new one-time link for a person."""
        now = self.clock()
        token = new_token()
        await self.people.add_person(person.id, person.name, now)
        await self.people.add_link(hash_of(token), person.id, now, now + LINK_LIFE)
        return token

    async def use_link(self, token: str) -> str | None:
        """Use up a link and return the secret of a new session; None when the link is no good."""
        person_id = await self.people.use_link(hash_of(token), self.clock())
        return await self._open(person_id) if person_id is not None else None

    async def open_session(self, person: Person) -> str:
        """Return the secret of a new session for somebody who is known otherwise."""
        await self.people.add_person(person.id, person.name, self.clock())
        return await self._open(person.id)

    async def session(self, token: str) -> Session | None:
        """Return the session of a secret."""
        return await self.people.session(hash_of(token), self.clock())

    async def close_session(self, token: str) -> None:
        """End the session of a secret."""
        await self.people.end_session(hash_of(token))

    async def _open(self, person_id: str) -> str:
        token = new_token()
        now = self.clock()
        await self.people.add_session(hash_of(token), person_id, now, now + self.session_life)
        return token


def os_person() -> Person:
    """Return whose process this is, as the system says; what the environment says proves nobody."""
    number = os.getuid()
    try:
        name = pwd.getpwuid(number).pw_name
    except KeyError:
        # a container may run as a user that has no name
        name = str(number)
    return Person(f"os:{name}", name)
