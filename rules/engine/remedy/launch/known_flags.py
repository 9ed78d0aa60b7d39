"""Flags that a paste shows without the command that held them, as words of a shell. Not for reading them."""

import ast
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping

from rules.engine.remedy.launch.masked import is_masked, value_word
from rules.releases.model import Flag

#: a flag that all releases of a remedy know, by its name; None for another
FindFlag = Callable[[str], Flag | None]
#: a longer value is no setting that anybody wrote by hand
_LONGEST = 2000
_MEMBER = re.compile(r"(?:[A-Za-z]*Enum|_Backend)\.([A-Z][A-Z0-9_]*)\Z")
_OBJECT = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*\(")


def known_flags(flags: Mapping[str, str], find: FindFlag, without: Collection[str]) -> Iterator[str]:
    """Yield the words of the flags that the releases know and that are not the default, in their order.

    A value that was printed as an object of Python, which no command line takes, is left out with its flag.
    """
    for name, value in flags.items():
        flag = find(name)
        if flag is None or len(value) > _LONGEST or not {name, flag.name}.isdisjoint({*without, "--model"}):
            continue
        words = _words(flag, name, value)
        if words is not None:
            yield from (name, *words)


def _words(flag: Flag, name: str, value: str) -> list[str] | None:
    """Return the words after a flag; None where it says nothing or cannot be said."""
    if flag.type == "bool":
        return None if value else []
    if not value or value == flag.default or _OBJECT.match(value):
        return None
    if is_masked(value):
        return [value_word(name, value)]
    if value[0] in "[{":
        return _structure(flag, name, value)
    member = _MEMBER.match(value)
    return [value_word(name, member[1] if member else value)]


def _structure(flag: Flag, name: str, value: str) -> list[str] | None:
    """Return a list or mapping that Python printed: as JSON, or as several words where the flag takes those."""
    read = _read(value)
    if isinstance(read, list) and flag.type != "json":
        return [value_word(name, str(one)) for one in read] or None
    try:
        return None if read is None else [value_word(name, json.dumps(read))]
    except (TypeError, ValueError):
        return None


def _read(value: str) -> object:
    try:
        found: object = json.loads(value)
    except (ValueError, RecursionError):
        try:
            found = ast.literal_eval(value)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return None
    return found
