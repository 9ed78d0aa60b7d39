"""Puts the records of all releases into few small files, and reads them back. Pure: bytes in, bytes out.

What several releases share is kept once: `facts.json.gz` and `messages.json.gz` hold each distinct row; which
rows a release has, and on which lines, say `releases/V.json.gz` and `messages/V.json.gz`.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field, fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from packaging.version import Version

from rules.releases.codec import decoder, from_deltas, to_deltas, to_row
from rules.releases.model import Attention, Flag, Message, Record, Variable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

#: raised when a file can no longer be read by older code
SCHEMA = 1
#: raised when the same tree gives other facts
EXTRACTOR = 2

INDEX = "index.json"
FACTS = "facts.json.gz"
MESSAGES = "messages.json.gz"

Rows = list[Any]
#: how to find the rows of one section: numbers in the shared table, and line numbers, both as differences
Place = list[list[int]]


class DataError(Exception):
    """The stored release facts cannot be used."""

    def __init__(self, file: str, why: str) -> None:
        super().__init__(f"release facts in {file}: {why}; install this program again, or rebuild its data")
        self.file = file


def _kinds() -> dict[str, Any]:
    """Return by section the type of one fact."""
    hints = get_type_hints(Attention)
    attention = {item.name: get_args(hints[item.name])[0] for item in fields(Attention)}
    return {**attention, "flags": Flag, "dotted_flags": Flag, "variables": Variable}


def release_file(version: str) -> str:
    """Return the path of the small file that holds a release's facts."""
    return f"releases/{version}.json.gz"


def messages_file(version: str) -> str:
    """Return the path of the small file that holds where a release's texts stand."""
    return f"messages/{version}.json.gz"


@dataclass(slots=True)
class _Table:
    """Distinct rows, numbered in the order in which they first appear."""

    rows: Rows = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    def place(self, facts: Iterable[Any]) -> Place:
        """Add what is new and return where the facts are."""
        lines: list[int] = []
        found: list[int] = []
        for fact in facts:
            row = to_row(fact, lines)
            key = json.dumps(row, ensure_ascii=False)
            number = self.numbers.setdefault(key, len(self.rows))
            if number == len(self.rows):
                self.rows.append(row)
            found.append(number)
        return [to_deltas(found), to_deltas(lines)]


def encode(records: Iterable[Record]) -> dict[str, bytes]:
    """Return the files by path. The same records give the same bytes; a newer release only appends rows."""
    ordered = sorted(records, key=lambda record: Version(record.version))
    tables: dict[str, _Table] = {section: _Table() for section in _kinds()}
    texts = _Table()
    files: dict[str, bytes] = {}
    for record in ordered:
        places = {section: table.place(_section(record, section)) for section, table in tables.items()}
        content = {"version": record.version, "remarks": list(record.remarks), "sections": places}
        files[release_file(record.version)] = _packed(content)
        files[messages_file(record.version)] = _packed({"place": texts.place(record.messages)})
    files[FACTS] = _packed({"tables": {section: table.rows for section, table in tables.items()}})
    files[MESSAGES] = _packed({"rows": texts.rows})
    index = {"schema": SCHEMA, "extractor": EXTRACTOR, "releases": [record.version for record in ordered]}
    files[INDEX] = json.dumps(index, indent=1).encode() + b"\n"
    return files


def _section(record: Record, section: str) -> tuple[Any, ...]:
    facts: tuple[Any, ...] = getattr(record if hasattr(record, section) else record.attention, section)
    return facts


def _packed(content: dict[str, Any]) -> bytes:
    whole = {"schema": SCHEMA, "extractor": EXTRACTOR, **content}
    text = json.dumps(whole, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(), compresslevel=9, mtime=0)


def unpack(data: bytes, file: str) -> dict[str, Any]:
    """Return the content of one of our files. Raises `DataError` when it is damaged or of another schema."""
    try:
        content = json.loads(gzip.decompress(data) if file.endswith(".gz") else data)
    except (OSError, EOFError, ValueError) as error:
        raise DataError(file, "it is damaged") from error
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise DataError(file, f"it is not of schema {SCHEMA}")
    return content


def placed(rows: Rows, place: Place, kind: Any) -> tuple[Any, ...]:  # noqa: ANN401 - the type of one fact
    """Return the facts of a section from the shared rows."""
    decode = decoder(kind)
    lines = iter(from_deltas(place[1]))
    return tuple([decode(rows[number], lines) for number in from_deltas(place[0])])


class Shelf:
    """The stored releases. Reads each file once, and only when it is asked for."""

    def __init__(self, read: Callable[[str], bytes]) -> None:
        self._read = read
        self._kept: dict[str, dict[str, Any]] = {}
        self._kinds = _kinds()

    def versions(self) -> tuple[Version, ...]:
        """Return the stored releases in ascending order."""
        return tuple(Version(text) for text in self._content(INDEX)["releases"])

    def section(self, version: str, section: str) -> tuple[Any, ...]:
        """Return the facts of one section of a release, such as `flags` or `backends`."""
        place = self._content(release_file(version))["sections"].get(section, [[], []])
        return placed(self._content(FACTS)["tables"].get(section, []), place, self._kinds[section])

    def attention(self, version: str) -> Attention:
        """Return the facts of a release that concern attention."""
        return Attention(**{item.name: self.section(version, item.name) for item in fields(Attention)})

    def messages(self, version: str) -> tuple[Message, ...]:
        """Return the texts of a release by file and line; the first call reads the large table."""
        place = unpack(self._read(messages_file(version)), messages_file(version))["place"]
        return placed(self._content(MESSAGES)["rows"], place, Message)

    def texts(self) -> Iterator[tuple[str, str, int]]:
        """Yield every text of any release once, with its kind and the releases that hold it, a bit for each.

        The lowest bit is the oldest release. It reads all places, which is slow: keep what is made of it.
        """
        rows = self._content(MESSAGES)["rows"]
        bits = [0] * len(rows)
        for place, version in enumerate(self._content(INDEX)["releases"]):
            found = unpack(self._read(messages_file(version)), messages_file(version))["place"]
            for number in from_deltas(found[0]):
                bits[number] |= 1 << place
        merged: dict[tuple[str, str], int] = {}
        for row, releases in zip(rows, bits, strict=True):
            merged[row[0], row[1]] = merged.get((row[0], row[1]), 0) | releases
        for (text, kind), releases in merged.items():
            yield text, kind, releases

    def texts_key(self) -> str:
        """Return what changes whenever `texts` does."""
        digest = sha256(self._read(MESSAGES))
        digest.update(self._read(INDEX))
        return digest.hexdigest()

    def record(self, version: str) -> Record:
        """Return everything that is stored of a release."""
        return Record(
            version=version,
            attention=self.attention(version),
            flags=self.section(version, "flags"),
            dotted_flags=self.section(version, "dotted_flags"),
            variables=self.section(version, "variables"),
            messages=self.messages(version),
            remarks=tuple(self._content(release_file(version))["remarks"]),
        )

    def _content(self, file: str) -> dict[str, Any]:
        if file not in self._kept:
            self._kept[file] = unpack(self._read(file), file)
        return self._kept[file]
