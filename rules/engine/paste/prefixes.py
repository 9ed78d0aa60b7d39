"""Takes off what loggers, containers and chat put before a line, and keeps what it says. Not for joining wrapped lines.

The forms are those of vLLM 0.6.3 to 0.33.0 (`vllm/logging_utils/formatter.py`, `vllm/utils/system_utils.py`) and of the
programs that carry its output: docker compose, journald, Kubernetes, Ray, torchrun, uvicorn.
"""

import json
from typing import Final, NamedTuple

from rules.engine.paste import timestamps

LEVELS: Final = frozenset({"DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"})
_FOREIGN_LEVELS: Final = LEVELS | {"WARN", "FATAL", "TRACE", "SUCCESS"}
#: names that vLLM gives its processes; parts such as `_DP0_TP1_EP1` follow them
_VLLM_PROCESSES: Final = ("EngineCore", "APIServer", "Worker", "VllmWorker", "StageEngineCore", "MainProcess")
_TAGS_WITHOUT_PID: Final = frozenset({"raylet", "APIServer", "EngineCore", "Worker"})
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
_LONGEST_HEAD: Final = 160
_MOST_LAYERS: Final = 12
_LEVEL_INITIALS: Final = frozenset("DIWECTFS")
_MONTH_INITIALS: Final = frozenset("JFMASOND")
#: a line that begins so has no prefix, unless a cut record stands before a bracket
_NO_PREFIX: Final = frozenset("abghjklmnoqrtuwyz^~\"'@$%&")
_INDENTED_PREFIX: Final = frozenset("(DIWEC")
_RAY_REPEATED: Final = "x across cluster]"


class Prefixed(NamedTuple):
    """A line without its prefixes, and what they said."""

    text: str
    process: str | None = None
    level: str | None = None
    origin: str | None = None
    vllm_record: bool = False
    pid: str | None = None


class PrefixReader:
    """Reads prefixes line by line; equal heads of one paste are parsed once."""

    def __init__(self) -> None:
        self._tags: dict[str, tuple[str | None, str | None] | None] = {}
        self._heads: dict[str, tuple[str, str | None] | None] = {}
        self._whole: dict[str, tuple[str | None, str | None, str | None, bool, str | None]] = {}

    def read(self, line: str) -> Prefixed:
        """Return the line without prefixes; a line without any is returned as it is."""
        end = line.find("] ", 0, _LONGEST_HEAD)
        known = self._whole.get(line[: end + 2]) if end > 0 else None
        if known is not None:
            return Prefixed(line[end + 2 :].rstrip(), *known)
        stripped = line.rstrip()
        if stripped[:1] == "(":
            found = self._tagged_only(stripped)
            if found is not None:
                return found
        elif stripped[:1] == " " and stripped.lstrip()[:1] not in _INDENTED_PREFIX:
            return Prefixed(stripped)
        elif stripped[:1] in _NO_PREFIX and (end < 0 or stripped[end - 1 : end].isalpha()):
            return Prefixed(stripped)
        found = self._peel(stripped)
        if (
            end > 0
            and found.vllm_record
            and found.origin is not None
            and len(found.text) == len(stripped) - end - 2
        ):
            self._whole[line[: end + 2]] = found[1:]
        return found

    def _tagged_only(self, line: str) -> Prefixed | None:
        """Return a line that holds one known tag and then indented text, the most common form; None for others."""
        end = line.find(")", 1, _LONGEST_HEAD)
        known = self._tags.get(line[1:end])
        if known is None or line[end + 1 : end + 2] != " " or line[end + 2 : end + 3] not in {" ", ""}:
            return None
        rest = line[end + 2 :]
        if rest.endswith(_RAY_REPEATED) or rest.lstrip()[:1] == "(":
            return None
        name, pid = known
        return Prefixed(rest, name, None, None, name is not None and name.startswith(_VLLM_PROCESSES), pid)

    def _peel(self, line: str) -> Prefixed:
        """Take off layer after layer; nothing but text follows vLLM's own record."""
        found = Prefixed(line)
        for _ in range(_MOST_LAYERS):
            layer = self._layer(found)
            if layer is None:
                break
            found = layer
            if found.vllm_record and found.origin is not None:
                break
        if found.text.endswith(_RAY_REPEATED) and " [repeated " in found.text:
            found = found._replace(text=found.text[: found.text.rfind(" [repeated ")])
        return found

    def starts_anew(self, line: str) -> bool:
        """Tell whether the line begins with a prefix, so that it cannot continue the line before."""
        return self._layer(Prefixed(line)) is not None

    def _layer(self, found: Prefixed) -> Prefixed | None:
        """Return the line with one more layer taken off, None when none is left."""
        text = found.text
        first = text[:1]
        if first == "(":
            return self._tag(found)
        if first == "[":
            return _bracket(found)
        if first.isdigit():
            return _dated(found) or _cut_record(found)
        if first in " \t":
            return self._indented(found)
        if first in _LEVEL_INITIALS:
            layer = self._record(found) or _uvicorn(found)
            if layer is not None:
                return layer
        if first in _MONTH_INITIALS and text[:3] in timestamps.MONTHS:
            return _syslog(found)
        if "|" in text[:_LONGEST_HEAD]:
            return _compose(found)
        return _cut_record(found) if first == "]" or ".py:" in text[:_LONGEST_HEAD] else None

    def _tag(self, found: Prefixed) -> Prefixed | None:
        end = found.text.find(")", 1, _LONGEST_HEAD)
        if end < 0:
            return None
        tag = found.text[1:end]
        if tag not in self._tags:
            self._tags[tag] = _process(tag)
        known = self._tags[tag]
        if known is None:
            return None
        name, pid = known
        return found._replace(
            text=found.text[end + 1 :].removeprefix(" "),
            process=name or found.process,
            pid=pid,
            vllm_record=found.vllm_record or (name is not None and name.startswith(_VLLM_PROCESSES)),
        )

    def _indented(self, found: Prefixed) -> Prefixed | None:
        """Take off blanks only when a prefix follows them; other indentation belongs to the text."""
        inner = found.text.lstrip()
        if inner[:1] == "(" and "pid=" in inner[:_LONGEST_HEAD]:
            return self._tag(found._replace(text=inner))
        if inner[:1] in _LEVEL_INITIALS:
            return self._record(found._replace(text=inner))
        return None

    def _record(self, found: Prefixed) -> Prefixed | None:
        """Read `LEVEL MM-DD HH:MM:SS [file.py:LINE] text`, up to 0.7.3 without the opening bracket."""
        text = found.text
        end = text.find("]", 8, _LONGEST_HEAD)
        if end < 0:
            return None
        head = text[:end]
        if head not in self._heads:
            self._heads[head] = _level_and_origin(head)
        known = self._heads[head]
        if known is None:
            return None
        level, origin = known
        rest = text[end + 1 :].removeprefix(" ")
        return found._replace(text=rest, level=level, origin=origin, vllm_record=True)


def _process(tag: str) -> tuple[str | None, str | None] | None:
    """Return name and process id of a tag such as `Worker_TP0 pid=12` or `RayWorkerWrapper pid=1, ip=…`."""
    before, mark, after = tag.partition("pid=")
    if not mark:
        return (tag, None) if tag in _TAGS_WITHOUT_PID or tag.startswith("autoscaler ") else None
    digits = after[: len(after) - len(after.lstrip("0123456789"))]
    name = before.rstrip(" ,")
    if (
        not (digits or after in {"…", "..", "...", "N", "xxx"})
        or len(name) > 60
        or "=" in name.split(" ", 1)[0]
    ):
        return None
    return name or None, digits or None


def _level_and_origin(head: str) -> tuple[str, str | None] | None:
    """Return level and `file.py:LINE` of a record's head without its closing bracket."""
    level, _, rest = head.partition(" ")
    if level not in LEVELS:
        return None
    rest = rest.lstrip()
    day = timestamps.short_length(rest)
    origin = rest[day:].lstrip().removeprefix("[")
    place, _, number = origin.rpartition(":")
    if not number.isdigit() or " " in place or not place or (not day and not place.endswith(".py")):
        return None
    return level, origin


def _uvicorn(found: Prefixed) -> Prefixed | None:
    """Read `INFO:     text` of uvicorn and `ERROR:root:text` of Python's default logger."""
    level, colon, rest = found.text.partition(":")
    if not colon or level not in _FOREIGN_LEVELS or found.level is not None:
        return None
    if rest.startswith("root:"):
        return found._replace(text=rest[5:], level=level)
    return found._replace(text=rest.lstrip(), level=level) if rest.startswith(" ") else None


def _bracket(found: Prefixed) -> Prefixed | None:
    """Read `[rank0]:`, `[pod/name/container]`, `[1,0]<stderr>:`, `[2025-03-05 14:28:45,735]` and levels after it."""
    text = found.text
    end = text.find("]", 1, _LONGEST_HEAD)
    inner, rest = text[1:end], text[end + 1 :]
    if end < 0 or not inner:
        return None
    if (
        inner.startswith(("rank", "default"))
        and inner.lstrip("abcdefghijklmnopqrstuvwxyz").isdigit()
        and rest[:1] == ":"
    ):
        return found._replace(text=rest[1:].removeprefix(" "), process=found.process or inner)
    if inner.startswith("pod/") and " " not in inner:
        return found._replace(text=rest.removeprefix(" "))
    if rest.startswith(("<stderr>:", "<stdout>:")):
        return found._replace(text=rest[9:].removeprefix(" "))
    if timestamps.long_length(inner) == len(inner):
        return _bracketed_level(found._replace(text=rest.removeprefix(" ")))
    return None


def _bracketed_level(found: Prefixed) -> Prefixed:
    """Read `[WARNING] [MainThread] [vllm.utils] >>> text` that may follow a bracketed time."""
    level, mark, rest = found.text.removeprefix("[").partition("]")
    if not mark or not found.text.startswith("[") or level not in _FOREIGN_LEVELS:
        return found
    arrow = rest.find(">>> ", 0, _LONGEST_HEAD)
    return found._replace(text=rest[arrow + 4 :] if arrow >= 0 else rest.removeprefix(" "), level=level)


def _dated(found: Prefixed) -> Prefixed | None:
    """Read an ISO time, and what CRI, journald, loguru or Python's logging put after it."""
    text = found.text
    length = timestamps.long_length(text)
    if not length:
        number, mark, rest = text.partition(": ")
        labelled = mark and len(number) < 5 and number.isdigit() and rest[:1] in "([" and rest[:1]
        return found._replace(text=rest) if labelled else None
    rest = text[length:].lstrip()
    stream, _, tail = rest.partition(" ")
    if stream in {"stdout", "stderr"} and tail[:2] in {"F ", "P ", "F", "P"}:
        return found._replace(text=tail[2:])
    for separator in (" | ", " - "):
        if rest[:1] in "-|":
            rest = rest[1:].lstrip()
        parts = rest.split(separator, 2)
        level = next((part.strip() for part in parts[:2] if part.strip() in _FOREIGN_LEVELS), None)
        if len(parts) > 1 and level is not None:
            return found._replace(text=_after_level(parts, separator), level=level)
    if text[length : length + 1] not in {"", " ", "\t"}:
        return None
    if stream in _FOREIGN_LEVELS and not timestamps.short_length(tail):
        return found._replace(text=tail.lstrip(), level=stream)
    return found._replace(text=_after_host(rest))


def _after_level(parts: list[str], separator: str) -> str:
    """Return the message of a record split at its separator; loguru puts `module:function:line - ` before it."""
    if separator == " | " and len(parts) == 3 and " - " in parts[2][:_LONGEST_HEAD]:
        return parts[2].split(" - ", 1)[1]
    if parts[0].strip() in _FOREIGN_LEVELS:
        place, mark, message = separator.join(parts[1:]).partition(" - ")
        return message if mark and " " not in place.strip() else separator.join(parts[1:])
    return parts[-1]


def _syslog(found: Prefixed) -> Prefixed | None:
    """Read `Feb 04 08:47:08 host program[123]: text`."""
    length = timestamps.syslog_length(found.text)
    return found._replace(text=_after_host(found.text[length:].lstrip())) if length else None


def _after_host(text: str) -> str:
    """Return the text without `host program[123]: `."""
    end = text.find("]: ", 0, _LONGEST_HEAD)
    if end < 0 and text.endswith("]:"):
        end = len(text) - 2
    program = text[:end].split(" ")[-1] if end > 0 else ""
    name, mark, pid = program.partition("[")
    if mark and name and pid.isdigit() and text[:end].count(" ") <= 1:
        return text[end + 2 :].removeprefix(" ")
    return text


def _compose(found: Prefixed) -> Prefixed | None:
    """Read `service-1  | text` of docker compose and `service.1.id@node    | text` of swarm."""
    bar = found.text.find("|", 1, 100)
    if bar < 1:
        return None
    padded = found.text[:bar]
    name = padded.rstrip(" ")
    plain = name.replace("-", "").replace("_", "").replace(".", "").replace("@", "")
    if not plain.isalnum() or not plain.isascii() or found.text[bar + 1 : bar + 2] not in {"", " "}:
        return None
    numbered = name[-1:].isdigit() and name.rstrip("0123456789")[-1:] in {"-", "_"}
    if len(padded) - len(name) < 2 and not (numbered and padded != name):
        return None
    return found._replace(text=found.text[bar + 1 :].removeprefix(" "))


def _cut_record(found: Prefixed) -> Prefixed | None:
    """Read what is left of a record whose start was not copied: `07:55:57 [core.py:842] text`, `] ValueError: text`."""
    text = found.text
    if text.startswith("] "):
        return found._replace(text=text[2:])
    end = text.find("] ", 0, _LONGEST_HEAD)
    if end < 0 or found.origin is not None:
        return None
    place, mark, number = text[:end].rpartition(":")
    if not mark or not number.isdigit() or not place.endswith(".py"):
        return None
    origin = place.rpartition("[")[2].rpartition(" ")[2] + ":" + number
    ahead = text[:end].removesuffix(origin).strip(" [")
    if ahead.strip("0123456789-:. "):
        return None
    return found._replace(text=text[end + 2 :], origin=origin)


def unpack_json(line: str) -> list[str] | None:
    """Return the text lines inside a line of a JSON log (`{"log": "…", "stream": "stderr"}`), None when it is none."""
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
