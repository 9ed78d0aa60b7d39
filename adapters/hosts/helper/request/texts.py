"""Reads JSON from whoever may mean harm: small, no doubles, printable ASCII only. Not for its meaning."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from ..refusal import BAD_REQUEST, Refusal

LIMIT = 64 << 10
_DEPTH = 64
_DIGITS = 16
_PRINTABLE = re.compile(r"[\x20-\x7e]*\Z")


def read_object(data: bytes) -> dict[str, Any]:
    """Return the one object that the bytes hold, or refuse."""
    if len(data) > LIMIT:
        raise bad("it is larger than 64 KiB")
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError:
        raise bad("it holds a byte that is not ASCII") from None
    if _depth(text) > _DEPTH:
        raise bad("it is nested deeper than %d levels" % _DEPTH)
    try:
        body = json.loads(
            text, object_pairs_hook=_pairs, parse_int=_integer, parse_float=_real, parse_constant=_constant
        )
    except ValueError as error:
        raise bad("it is no JSON: %s" % error) from None
    if not isinstance(body, dict):
        raise bad("it is no object")
    _check_texts(body)
    return body


def bad(what: str) -> Refusal:
    """Return the refusal of a request."""
    return Refusal(
        BAD_REQUEST, "the request cannot be taken: %s" % what, "the bot and the helper must fit together"
    )


def _depth(text: str) -> int:
    """Return an upper bound of how deep it is nested, without going down."""
    deepest = now = 0
    for char in text:
        if char in "[{":
            now += 1
            deepest = max(deepest, now)
        elif char in "]}":
            now -= 1
    return deepest


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise bad("a key stands in it twice")
    return found


def _integer(text: str) -> int:
    if len(text) > _DIGITS:
        raise bad("a number in it is too long")
    return int(text)


def _real(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise bad("a number in it is too large")
    return value


def _constant(text: str) -> float:
    raise bad("%s is no number" % text)


def _check_texts(value: object) -> None:
    if isinstance(value, str) and not _PRINTABLE.match(value):
        raise bad("a text in it holds a character that is not printable ASCII")
    if isinstance(value, dict):
        for key, inner in value.items():
            _check_texts(key)
            _check_texts(inner)
    elif isinstance(value, list):
        for inner in value:
            _check_texts(inner)
