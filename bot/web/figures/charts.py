"""Where the marks of a chart stand, in the units of its drawing. Pure. Not for drawing them, and not for counting."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date, datetime

WIDTH: Final = 720.0
HEIGHT: Final = 180.0
#: room below for the days, at the left for the numbers, at the right for half of the last day's name
_FOOT: Final = 22.0
LEFT: Final = 56.0
_RIGHT: Final = 16.0
_TOP: Final = 8.0
_GAP: Final = 0.22
#: more names than this do not fit below
_MOST_NAMES: Final = 8
_STEPS: Final = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of a bar."""

    kind: str
    count: int
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Bar:
    """One day."""

    name: str
    x: float
    width: float
    pieces: tuple[Piece, ...]
    #: whether the day's name stands below
    is_named: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the scale."""

    y: float
    name: str


@dataclass(frozen=True, slots=True)
class Dot:
    """One thing that took some time."""

    x: float
    y: float
    name: str


def bars(
    days: Sequence[date], counts: Mapping[date, Mapping[str, int]], kinds: Sequence[str]
) -> tuple[Bar, ...]:
    """Return a bar for each day, its kinds on top of each other in their order."""
    most = highest(counts)
    step = _breadth() / max(1, len(days))
    every = math.ceil(len(days) / _MOST_NAMES)
    found = []
    for at, day in enumerate(days):
        floor, pieces = HEIGHT - _FOOT, []
        for kind in kinds:
            count = counts.get(day, {}).get(kind, 0)
            if count:
                height = count / most * _room()
                floor -= height
                pieces.append(Piece(kind, count, round(floor, 2), round(height, 2)))
        x, width = LEFT + step * (at + _GAP / 2), step * (1 - _GAP)
        is_named = (len(days) - 1 - at) % every == 0
        found.append(Bar(f"{day:%m-%d}", round(x, 2), round(width, 2), tuple(pieces), is_named))
    return tuple(found)


def highest(counts: Mapping[date, Mapping[str, int]]) -> int:
    """Return a round number that no day exceeds, at least 1."""
    most = max((sum(one.values()) for one in counts.values()), default=0)
    return next(number for number in _round_numbers() if number >= most)


def scale(most: int) -> tuple[Line, ...]:
    """Return the lines of nothing, half and most."""
    marks = sorted({0, most // 2, most}) if most > 1 else [0, most]
    return tuple(Line(round(HEIGHT - _FOOT - mark / most * _room(), 2), str(mark)) for mark in marks)


def dots(
    times: Sequence[tuple[datetime, float, str]],
    begin: datetime,
    end: datetime,
    ticks: Sequence[tuple[float, str]],
) -> tuple[tuple[Dot, ...], tuple[Line, ...]]:
    """Return things by when they were and how many seconds they took, on a logarithmic scale with named ticks."""
    low, high = ticks[0][0], ticks[-1][0]
    whole = max(1.0, (end - begin).total_seconds())

    def height(seconds: float) -> float:
        share = math.log(min(max(seconds, low), high) / low) / math.log(high / low)
        return round(HEIGHT - _FOOT - share * _room(), 2)

    found = []
    for at, seconds, name in times:
        share = min(1.0, max(0.0, (at - begin).total_seconds() / whole))
        found.append(Dot(round(LEFT + share * _breadth(), 2), height(seconds), name))
    return tuple(found), tuple(Line(height(seconds), name) for seconds, name in ticks)


def _breadth() -> float:
    return WIDTH - LEFT - _RIGHT


def _room() -> float:
    return HEIGHT - _FOOT - _TOP


def _round_numbers() -> Iterator[int]:
    power = 1
    while True:
        for step in _STEPS:
            yield step * power
        power *= 10
