"""What differs between two launches, line by line, with secrets masked. Pure. Not for showing it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from adapters.hosts.records import Launch


class DiffKind(StrEnum):
    """What a line is about."""

    VARIABLE = "variable"
    FLAG = "flag"
    #: a word of the command that is no flag
    WORD = "word"


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One setting before and after; None: not there."""

    kind: DiffKind
    name: str
    before: str | None
    after: str | None


def difference(before: Launch, after: Launch) -> tuple[DiffLine, ...]:
    """Return what differs: variables by name, then flags and words in the order of the command."""
    variables = (
        DiffLine(DiffKind.VARIABLE, name, before.env.get(name), after.env.get(name))
        for name in sorted({*before.env, *after.env})
    )
    found = (*variables, *_arguments(before.argv, after.argv))
    return tuple(line for line in found if line.before != line.after)


def written(lines: Iterable[DiffLine]) -> tuple[str, ...]:
    """Return a difference as people read it: `- NAME=old`, `+ --flag new`."""
    told: list[str] = []
    for line in lines:
        name = f"{line.name}=" if line.kind is DiffKind.VARIABLE else f"{line.name} "
        if line.before is not None:
            told.append(f"- {name}{line.before}".rstrip())
        if line.after is not None:
            told.append(f"+ {name}{line.after}".rstrip())
    return tuple(told)


def _arguments(before: Sequence[str], after: Sequence[str]) -> Iterator[DiffLine]:
    old, new = _grouped(before), _grouped(after)
    for name in dict.fromkeys((*old, *new)):
        for was, now in zip_longest(old.get(name, []), new.get(name, [])):
            kind = DiffKind.FLAG if name.startswith("--") else DiffKind.WORD
            yield DiffLine(kind, name, was, now)


def _grouped(argv: Sequence[str]) -> dict[str, list[str]]:
    """Return the values of each flag, one entry per time it is given; words before the first flag by place."""
    found: dict[str, list[str]] = {}
    values: list[str] | None = None
    for place, word in enumerate(argv):
        if word.startswith("--"):
            name, equals, value = word.partition("=")
            values = found.setdefault(name, [])
            values.append(value if equals else "")
        elif values is None:
            found[f"word {place + 1}"] = [word]
        else:
            values[-1] = f"{values[-1]} {word}".lstrip()
    return found
