"""People, one-time links and sessions in a database. Not for who may do what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import delete, insert, select, update

from bot.store.interface import Session
from bot.store.tables import from_millis, login_links, people, sessions, to_millis

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Table

    from bot.store.database import Database


class SqlPeople:
    """People and how they are recognised; meets `PeopleStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add_person(self, person_id: str, name: str, at: datetime) -> None:
        """Keep a person; the name of one already kept is brought up to date."""
        async with self._database.writing() as connection:
            change = update(people).where(people.c.id == person_id).values(name=name)
            if (await connection.execute(change)).rowcount == 0:
                row = {"id": person_id, "name": name, "created_at": to_millis(at)}
                await connection.execute(insert(people), row)

    async def add_link(self, token_hash: str, person_id: str, at: datetime, expires_at: datetime) -> None:
        """Keep a one-time link; links that have expired are forgotten."""
        await self._add(login_links, token_hash, person_id, at, expires_at)

    async def use_link(self, token_hash: str, at: datetime) -> str | None:
        """Use up a link and return its person; None when it is unknown, used or expired."""
        change = (
            update(login_links)
            .where(
                login_links.c.token_hash == token_hash,
                login_links.c.used_at.is_(None),
                login_links.c.expires_at > to_millis(at),
            )
            .values(used_at=to_millis(at))
            .returning(login_links.c.person_id)
        )
        async with self._database.writing() as connection:
            person: str | None = (await connection.execute(change)).scalar_one_or_none()
            return person

    async def add_session(self, token_hash: str, person_id: str, at: datetime, expires_at: datetime) -> None:
        """Keep a session; sessions that have expired are forgotten."""
        await self._add(sessions, token_hash, person_id, at, expires_at)

    async def session(self, token_hash: str, at: datetime) -> Session | None:
        """Return a session that has not expired."""
        query = (
            select(people.c.id, people.c.name, sessions.c.expires_at)
            .join_from(sessions, people)
            .where(sessions.c.token_hash == token_hash, sessions.c.expires_at > to_millis(at))
        )
        async with self._database.reading() as connection:
            row = (await connection.execute(query)).one_or_none()
        return Session(row.id, row.name, from_millis(row.expires_at)) if row is not None else None

    async def end_session(self, token_hash: str) -> None:
        """Forget a session."""
        async with self._database.writing() as connection:
            await connection.execute(delete(sessions).where(sessions.c.token_hash == token_hash))

    async def _add(
        self, table: Table, token_hash: str, person_id: str, at: datetime, expires_at: datetime
    ) -> None:
        """Keep a token's hash in a table of things that expire, and forget those that have."""
        row = {
            "token_hash": token_hash,
            "person_id": person_id,
            "created_at": to_millis(at),
            "expires_at": to_millis(expires_at),
        }
        async with self._database.writing() as connection:
            await connection.execute(delete(table).where(table.c.expires_at <= to_millis(at)))
            await connection.execute(insert(table), row)
