"""Incidents in a database. Not for the replies they got."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import insert, select, update

from bot.store.interface import Incident
from bot.store.places import columns_of, is_at, place_of
from bot.store.tables import from_millis, incidents, to_millis

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Row, Select

    from adapters.chat.interface import Place
    from bot.store.database import Database

#: of one question to the database
_MOST_IDS: Final = 500
#: columns that are kept as they are
_PLAIN = (
    "id",
    "fingerprint",
    "status",
    "title",
    "rule",
    "failure_class",
    "confidence",
    "vllm_version",
    "gpu",
    "model",
)


class SqlIncidents:
    """Incidents, one per thread; meets `IncidentStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def record(self, incident: Incident) -> Incident:
        """Keep an incident, or bring the one of the same thread up to date; returns it as it is kept."""
        values = {name: getattr(incident, name) for name in _PLAIN}
        values |= {"seen_at": to_millis(incident.seen_at), **columns_of(incident.place)}
        async with self._database.writing() as connection:
            query = select(incidents).where(*is_at(incidents, incident.place))
            known = (await connection.execute(query)).one_or_none()
            if known is None:
                values["opened_at"] = to_millis(incident.opened_at)
                await connection.execute(insert(incidents), values)
            else:
                del values["id"]
                await connection.execute(update(incidents).where(incidents.c.id == known.id).values(**values))
            return _incident((await connection.execute(query)).one())

    async def get(self, incident_id: str) -> Incident | None:
        """Return one incident."""
        return await self._first(select(incidents).where(incidents.c.id == incident_id))

    async def in_thread(self, place: Place) -> Incident | None:
        """Return the incident of a thread."""
        return await self._first(select(incidents).where(*is_at(incidents, place)))

    async def recent(self, limit: int, before: datetime | None = None) -> list[Incident]:
        """Return incidents, the one seen last first; `before` asks for those seen earlier."""
        query = select(incidents)
        if before is not None:
            query = query.where(incidents.c.seen_at < to_millis(before))
        return await self._newest(query, limit)

    async def alike(self, fingerprint: str, limit: int) -> list[Incident]:
        """Return incidents with this fingerprint, the one seen last first."""
        return await self._newest(select(incidents).where(incidents.c.fingerprint == fingerprint), limit)

    async def opened_at(self, incident_ids: Sequence[str]) -> dict[str, datetime]:
        """Return when incidents were opened; those that are not there any more are left out."""
        found: dict[str, datetime] = {}
        async with self._database.reading() as connection:
            for at in range(0, len(incident_ids), _MOST_IDS):
                chosen = incidents.c.id.in_(incident_ids[at : at + _MOST_IDS])
                query = select(incidents.c.id, incidents.c.opened_at).where(chosen)
                found |= {row[0]: from_millis(row[1]) for row in await connection.execute(query)}
        return found

    async def _first(self, query: Select[Any]) -> Incident | None:
        async with self._database.reading() as connection:
            row = (await connection.execute(query)).one_or_none()
        return _incident(row) if row is not None else None

    async def _newest(self, query: Select[Any], limit: int) -> list[Incident]:
        newest = query.order_by(incidents.c.seen_at.desc(), incidents.c.id).limit(limit)
        async with self._database.reading() as connection:
            return [_incident(row) for row in await connection.execute(newest)]


def _incident(row: Row[Any]) -> Incident:
    return Incident(
        place=place_of(row),
        opened_at=from_millis(row.opened_at),
        seen_at=from_millis(row.seen_at),
        **{name: getattr(row, name) for name in _PLAIN},
    )
