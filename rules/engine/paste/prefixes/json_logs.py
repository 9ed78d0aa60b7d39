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
    if not isinstance(record, dict) or not _JSON_CONTEXT_KEYS & record.keys():
        return None
    text = next((record[key] for key in _JSON_TEXT_KEYS if isinstance(record.get(key), str)), None)
    return None if text is None else text.rstrip("\r\n").split("\n")
