"""Answers that were given, so that who asks again gets the same one. Not for refusals: those did nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .files import read_json, write_json

if TYPE_CHECKING:
    from .folder import Folder

#: a run has about five keys
_KEPT = 64


def find(folder: Folder, verb: str, key: str) -> dict[str, Any] | None:
    """Return the answer that an order got."""
    for row in reversed(_rows(folder)):
        if row["verb"] == verb and row["key"] == key:
            return dict(row["result"])
    return None


def last(folder: Folder, verb: str) -> dict[str, Any] | None:
    """Return the answer that the last order of a verb got."""
    for row in reversed(_rows(folder)):
        if row["verb"] == verb:
            return dict(row["result"])
    return None


def add(folder: Folder, verb: str, key: str, result: dict[str, Any]) -> None:
    """Keep an answer; the oldest ones go."""
    rows = [*_rows(folder), {"verb": verb, "key": key, "result": result}]
    write_json(folder.outcomes, {"outcomes": rows[-_KEPT:]})


def _rows(folder: Folder) -> list[dict[str, Any]]:
    body = read_json(folder.outcomes)
    return [] if body is None else list(body["outcomes"])
