"""Turns facts into plain JSON rows without line numbers, and back. Pure; not for where the rows are kept.

Line numbers change with every release although the fact stays the same, so a row holds the file alone; the
numbers are handed out beside it, in the order in which they stand in the fact.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from rules.releases.model import Source

Decoder = Callable[[Any, Iterator[int]], Any]


def to_row(fact: Any, lines: list[int]) -> Any:  # noqa: ANN401 - any of the facts
    """Return a fact as a JSON value, a record as the list of its fields; its line numbers go to `lines`."""
    if isinstance(fact, Source):
        lines.append(fact.line)
        return fact.file
    if isinstance(fact, StrEnum):
        return fact.value
    if isinstance(fact, tuple | list):
        return [to_row(item, lines) for item in fact]
    if is_dataclass(fact):
        return _fields(fact, lines)
    return fact


def _fields(fact: Any, lines: list[int]) -> list[Any]:  # noqa: ANN401
    """Return the fields in order; trailing ones that hold their default are left off."""
    values = [(to_row(getattr(fact, item.name), lines), item) for item in fields(fact)]
    while values and values[-1][1].default is not MISSING and _is_default(fact, values[-1][1].name):
        values.pop()
    return [value for value, _ in values]


def _is_default(fact: Any, name: str) -> bool:  # noqa: ANN401
    default = next(item.default for item in fields(fact) if item.name == name)
    value = getattr(fact, name)
    return type(value) is type(default) and bool(value == default)


@cache
def decoder(hint: Any) -> Decoder:  # noqa: ANN401 - any annotation
    """Return what makes the annotated fact from its JSON value and the line numbers that `to_row` took."""
    return _decoder(hint) or (lambda value, _: value)


@cache
def _record_decoder(kind: type) -> Decoder:
    hints = get_type_hints(kind)
    decoders = [_decoder(hints[item.name]) for item in fields(kind)]

    def decode(row: Any, lines: Iterator[int]) -> Any:  # noqa: ANN401
        return kind(
            *[
                value if decoder is None else decoder(value, lines)
                for value, decoder in zip(row, decoders, strict=False)
            ]
        )

    return decode


def _decoder(hint: Any) -> Decoder | None:  # noqa: ANN401
    """Return what turns a JSON value into the annotated type; None when the value is that already."""
    if hint is Source:
        return lambda value, lines: Source(value, next(lines))
    if get_origin(hint) is tuple:
        return _tuple(_decoder(get_args(hint)[0]))
    if get_origin(hint) is types.UnionType:
        found = [inner for part in get_args(hint) if (inner := _decoder(part)) is not None]
        return _optional(found[0]) if found else None
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return lambda value, _: hint(value)
    return _record_decoder(hint) if is_dataclass(hint) and isinstance(hint, type) else None


def _tuple(inner: Decoder | None) -> Decoder:
    if inner is None:
        return lambda value, _: tuple(value)
    return lambda value, lines: tuple([inner(item, lines) for item in value])


def _optional(inner: Decoder) -> Decoder:
    return lambda value, lines: None if value is None else inner(value, lines)


def to_deltas(numbers: list[int]) -> list[int]:
    """Return the differences of neighbours: small numbers that compress well."""
    return [number - before for number, before in zip(numbers, [0, *numbers], strict=False)]


def from_deltas(deltas: list[int]) -> list[int]:
    """Return the numbers whose differences these are."""
    total = 0
    numbers = []
    for delta in deltas:
        total += delta
        numbers.append(total)
    return numbers
