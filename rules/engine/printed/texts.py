"""Finds which releases can have raised a message, among all texts of all releases. Not for comparing one.

The texts of all releases are many: they are read when a failure is first asked about that no rule knows, and
kept ready in the user's cache.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final

from rules.engine.cache_folder import CacheFolder
from rules.engine.printed.templates import Fit, Template, key_of, read_template
from rules.engine.seams import Raising

_KIND: Final = "texts"
#: raised whenever the shape of what is kept changes
_FORMAT: Final = 2
#: words of a message that are looked up
_MOST_WORDS: Final = 400
#: templates with one key that are compared
_MOST_CANDIDATES: Final = 400
#: what a validation puts round the message of the error that it caught
_WRAPPED: Final = {"Value error, ": "ValueError", "Assertion failed, ": "AssertionError"}

#: a text, the kind of what raises it, and the releases that hold it, a bit for each
Row = tuple[str, str, int]
#: kind, parts and releases of a template, as they are kept
Kept = tuple[str, list[str], int]


@dataclass(frozen=True, slots=True)
class TextSource:
    """Where the texts come from."""

    #: changes whenever the texts do
    key: Callable[[], str]
    rows: Callable[[], Iterable[Row]]


class PrintedTexts:
    """The texts that releases raise; it may be shared by threads."""

    def __init__(self, source: TextSource, cache: CacheFolder | None = None) -> None:
        self._source = source
        self._cache = cache

    def find(self, name: str, message: str) -> Raising | None:
        """Return which releases raise a message; None when none does.

        `name` is the exception as printed; without one any exception counts.
        """
        fits = [(template, fit) for template, fit in self._fitting(*unwrapped(name, message)) if fit]
        best = max((fit for _, fit in fits), default=Fit.NOT)
        if best is Fit.NOT:
            return None
        bits = 0
        for template, fit in fits:
            bits |= template.releases if fit is best else 0
        releases = tuple(place for place in range(bits.bit_length()) if bits >> place & 1)
        return Raising(releases, cut=best is Fit.BEGINNING)

    def _fitting(self, name: str, message: str) -> Iterator[tuple[Template, Fit]]:
        short = name.rsplit(".", 1)[-1]
        words = message.split()[:_MOST_WORDS]
        pairs = dict.fromkeys(pairwise(words))
        for first, second in pairs:
            for kind, parts, releases in self._table.get(f"{first} {second}", ())[:_MOST_CANDIDATES]:
                if short in {"", "Exception"} or kind == short:
                    template = Template(kind, tuple(parts), releases)
                    yield template, template.fit(message)

    @cached_property
    def _table(self) -> dict[str, list[Kept]]:
        key = f"{_FORMAT}-{self._source.key()}"
        kept = self._cache.read(_KIND, key) if self._cache else None
        if kept is not None:
            return json.loads(kept)  # type: ignore[no-any-return]  # what was written below
        table = _table(self._source.rows())
        if self._cache:
            self._cache.write(_KIND, key, json.dumps(table, separators=(",", ":")).encode())
        return table


def unwrapped(name: str, message: str) -> tuple[str, str]:
    """Return the exception and message that a validation caught, or that a KeyError shows in quotes."""
    for start, caught in _WRAPPED.items():
        if message.startswith(start):
            return caught, message[len(start) :].partition(" [type=")[0]
    return name, message.strip("'\"") if name == "KeyError" else message


def _table(rows: Iterable[Row]) -> dict[str, list[Kept]]:
    table: dict[str, list[Kept]] = {}
    for text, kind, releases in rows:
        template = read_template(text, kind, releases) if _is_exception(kind) else None
        key = None if template is None else key_of(template.parts)
        if template is not None and key is not None:
            table.setdefault(" ".join(key), []).append((kind, list(template.parts), releases))
    return table


def _is_exception(kind: str) -> bool:
    return kind[:1].isupper() and "." not in kind and not kind.endswith("Warning")
