"""Replies and what people say about them, in a database. Not for posting them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, insert, select, update
from sqlalchemy.exc import IntegrityError

from bot.store.interface import Answer, Tally
from bot.store.places import columns_of, place_of
from bot.store.tables import answers, feedback, from_millis, inbox, to_millis

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import ColumnElement, Row

    from bot.store.database import Database

_DAY_MS: Final = 86_400_000


class SqlAnswers:
    """Replies that were decided on; meets `AnswerStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def decide(self, answer: Answer) -> Answer:
        """Keep an answer before it is posted; the one already kept for the same event comes back instead."""
        values = {
            "id": answer.id,
            "inbox_id": answer.entry_id,
            "decided_at": to_millis(answer.decided_at),
            "message": answer.message,
            **columns_of(answer.place),
            **_content(answer),
        }
        async with self._database.writing() as connection:
            query = select(answers).where(answers.c.inbox_id == answer.entry_id)
            known = (await connection.execute(query)).one_or_none()
            if known is not None:
                return _answer(known)
            await connection.execute(insert(answers), values)
        return answer

    async def posted(self, answer_id: str, message: str) -> None:
        """Say that a reply is out."""
        async with self._database.writing() as connection:
            await connection.execute(update(answers).where(answers.c.id == answer_id).values(message=message))

    async def revise(self, answer: Answer) -> None:
        """Replace what a reply says."""
        change = update(answers).where(answers.c.id == answer.id).values(**_content(answer))
        async with self._database.writing() as connection:
            await connection.execute(change)

    async def of_incident(self, incident_id: str) -> Answer | None:
        """Return the reply that an incident's thread shows: its first one."""
        return await self._first(answers.c.incident_id == incident_id)

    async def get(self, answer_id: str) -> Answer | None:
        """Return one answer."""
        return await self._first(answers.c.id == answer_id)

    async def call_wrong(self, answer_id: str, person: str, at: datetime) -> bool:
        """Count a person's word that an answer is wrong; False when it was counted before or is unknown."""
        answer = await self.get(answer_id)
        if answer is None:
            return False
        row = {"answer_id": answer_id, "person": person, "rule": answer.rule, "given_at": to_millis(at)}
        try:
            async with self._database.writing() as connection:
                await connection.execute(insert(feedback), row)
        except IntegrityError:
            return False
        return True

    async def wrong_by_rule(self) -> dict[str, int]:
        """Return how often the answers of each rule were called wrong."""
        query = (
            select(feedback.c.rule, func.count())
            .where(feedback.c.rule.is_not(None))
            .group_by(feedback.c.rule)
            .order_by(feedback.c.rule)
        )
        async with self._database.reading() as connection:
            return {str(row[0]): int(row[1]) for row in await connection.execute(query)}

    async def tallies(self, since: datetime) -> list[Tally]:
        """Return how many answers were given since a time, by day and status, oldest day first."""
        day = (answers.c.decided_at // _DAY_MS).label("day")
        query = (
            select(day, answers.c.status, func.count())
            .where(answers.c.decided_at >= to_millis(since))
            .group_by(day, answers.c.status)
            .order_by(day)
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return [Tally(from_millis(row[0] * _DAY_MS).date(), row[1], row[2]) for row in rows]

    async def by_rule(self, since: datetime) -> dict[str, int]:
        """Return how often each rule was the answer since a time, the most frequent first."""
        count = func.count().label("count")
        query = (
            select(answers.c.rule, count)
            .where(answers.c.decided_at >= to_millis(since), answers.c.rule.is_not(None))
            .group_by(answers.c.rule)
            .order_by(count.desc(), answers.c.rule)
        )
        async with self._database.reading() as connection:
            return {str(row[0]): int(row[1]) for row in await connection.execute(query)}

    async def waits(self, limit: int) -> list[float]:
        """Return how many seconds passed from keeping an event to its answer, for the newest answers."""
        query = (
            select(answers.c.decided_at - inbox.c.received_at)
            .join(inbox, inbox.c.id == answers.c.inbox_id)
            .order_by(answers.c.decided_at.desc())
            .limit(limit)
        )
        async with self._database.reading() as connection:
            return [max(0, row[0]) / 1000 for row in await connection.execute(query)]

    async def _first(self, condition: ColumnElement[bool]) -> Answer | None:
        query = select(answers).where(condition).order_by(answers.c.decided_at, answers.c.id).limit(1)
        async with self._database.reading() as connection:
            row = (await connection.execute(query)).one_or_none()
        return _answer(row) if row is not None else None


def _content(answer: Answer) -> dict[str, Any]:
    return {
        "incident_id": answer.incident_id,
        "status": answer.status,
        "rule": answer.rule,
        "card": dict(answer.card),
    }


def _answer(row: Row[Any]) -> Answer:
    return Answer(
        id=row.id,
        entry_id=row.inbox_id,
        place=place_of(row),
        status=row.status,
        decided_at=from_millis(row.decided_at),
        card=row.card,
        incident_id=row.incident_id,
        rule=row.rule,
        message=row.message,
    )
