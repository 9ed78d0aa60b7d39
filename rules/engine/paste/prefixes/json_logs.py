"""The text inside the lines of JSON logs. Not for JSON that a program printed as its message."""

import json
from typing import Final

from rules.engine.paste.prefixes import timestamps

_JSON_TEXT_KEYS: Final = ("log", "message", "msg", "MESSAGE", "textPayload", "line", "text")
_JSON_CONTEXT_KEYS: Final = frozenset(
    {
        "stream",
        "time",
        "timestamp",
        "@timestamp",
        "ts",
        "level",
        "severity",
        "kubernetes",
        "logger",
        "_HOSTNAME",
    }
    | {
        "levelname",
        "asctime",
        "host",
        "container_name",
        "resource",
        "_p",
        "__REALTIME_TIMESTAMP",
        "lineno",
        "name",
    }
)

#: what a traceback holds whose newlines are written out
_ESCAPED_MARKS: Final = ("Traceback (most recent call last):\\n", ", in ", "Error: ", " ERROR ")


def unpack_json(line: str) -> list[str] | None:
    """Return the lines of text inside a line of a JSON log (`{"log": "…", "stream": "…"}`), else None."""
    start = line.find('{"')
    if start < 0 or not line.rstrip().endswith("}"):
        return None
    if start and line[:start].strip() and not timestamps.long_length(line):
        return None
    try:
        record = json.loads(line[start:])
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    text: str | None = next(
        (record[key] for key in _JSON_TEXT_KEYS if isinstance(record.get(key), str)), None
    )
    if text is None or not (_JSON_CONTEXT_KEYS & record.keys() or len(record) == 1 or "\n" in text.strip()):
        return None
    return text.rstrip("\r\n").split("\n")


def unpack_escaped(line: str) -> list[str] | None:
    """Return the lines of a traceback that was copied as one string with its newlines written out, else None."""
    if "\\n" not in line or not any(mark in line for mark in _ESCAPED_MARKS):
        return None
    plain = line.strip().strip("'\"").replace("\\r\\n", "\\n").replace('\\"', '"').replace("\\'", "'")
    return plain.replace("\\t", "\t").removesuffix("\\n").split("\\n")
