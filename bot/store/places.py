"""Places as columns, and back. Not for anything else that is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.chat.interface import Place

if TYPE_CHECKING:
    from typing import Any

    from sqlalchemy import ColumnElement, Row, Table


def columns_of(place: Place) -> dict[str, str]:
    """Return the values of the place's columns."""
    return {
        "platform": place.platform,
        "team": place.team,
        "channel": place.channel,
        "thread": place.thread or "",
    }


def place_of(row: Row[Any]) -> Place:
    """Return the place of a row."""
    return Place(row.platform, row.team, row.channel, row.thread or None)


def is_at(table: Table, place: Place) -> list[ColumnElement[bool]]:
    """Return the conditions under which a row stands at a place."""
    return [table.c[name] == value for name, value in columns_of(place).items()]
