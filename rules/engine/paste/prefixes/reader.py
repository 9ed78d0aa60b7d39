"""Takes off what loggers, containers and chat put before a line, and keeps what it says.

The forms of vLLM are those of 0.6.3 to 0.33.0 (`vllm/logging_utils/formatter.py`,
`vllm/utils/system_utils.py`); those of the programs that carry its output are in `carriers`.
"""

from typing import Final

from rules.engine.paste.prefixes import timestamps
from rules.engine.paste.prefixes.carriers import (
    read_bracket,
    read_compose,
    read_cut_record,
    read_dated,
    read_syslog,
    read_uvicorn,
)
from rules.engine.paste.prefixes.prefixed import LEVELS, LONGEST_HEAD, Prefixed

#: names that vLLM gives its processes; parts such as `_DP0_TP1_EP1` follow them
_VLLM_PROCESSES: Final = ("EngineCore", "APIServer", "Worker", "VllmWorker", "StageEngineCore", "MainProcess")
_TAGS_WITHOUT_PID: Final = frozenset({"raylet", "APIServer", "EngineCore", "Worker"})
_MOST_LAYERS: Final = 12
_LEVEL_INITIALS: Final = frozenset("DIWECTFS")
_MONTH_INITIALS: Final = frozenset("JFMASOND")
#: a line that begins so has no prefix, unless a cut record stands before a bracket
_NO_PREFIX: Final = frozenset("abghjklmnoqrtuwyz^~\"'@$%&")
_INDENTED_PREFIX: Final = frozenset("(DIWEC")
#: day and time of a record, up to where its origin begins
_CLOCK: Final = "00-00 00:00:00 ["
_TO_ZERO: Final = str.maketrans("0123456789", "0" * 10)
_RAY_REPEATED: Final = "x across cluster]"


class PrefixReader:
    """Reads prefixes line by line; equal heads of one paste are parsed once."""

    def __init__(self) -> None:
        self._tags: dict[str, tuple[str | None, str | None] | None] = {}
        self._heads: dict[str, tuple[str, str | None] | None] = {}
        self._origins: set[str] = set()
        self._whole: dict[str, tuple[str | None, str | None, str | None, bool, str | None]] = {}

    def read(self, line: str) -> Prefixed:
        """Return the line without prefixes; a line without any is returned as it is."""
        end = line.find("] ", 0, LONGEST_HEAD)
        known = self._whole.get(line[: end + 2]) if end > 0 else None
        if known is not None:
            return Prefixed(line[end + 2 :].rstrip(), *known)
        stripped = line.rstrip()
        if stripped[:1] == "(":
            found = self._tagged_only(stripped)
            if found is not None:
                return found
        elif _is_bare(stripped, end):
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
        """Return a line of one known tag and indented text, the most common form; None for others."""
        end = line.find(")", 1, LONGEST_HEAD)
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

    def _layer(self, found: Prefixed) -> Prefixed | None:
        """Return the line with one more layer taken off, None when none is left."""
        text = found.text
        first = text[:1]
        if first == "(":
            return self._tag(found)
        if first == "[":
            return read_bracket(found)
        if first.isdigit():
            return read_dated(found) or read_cut_record(found)
        if first in " \t":
            return self._indented(found)
        own = (self._record(found) or read_uvicorn(found)) if first in _LEVEL_INITIALS else None
        return own or _carried(found)

    def _tag(self, found: Prefixed) -> Prefixed | None:
        end = found.text.find(")", 1, LONGEST_HEAD)
        if end < 0:
            return None
        tag = found.text[1:end]
        if tag not in self._tags:
            self._tags[tag] = _process(tag)
        known = self._tags[tag]
        if known is None:
            return None
        name, pid = known
        return Prefixed(
            found.text[end + 1 :].removeprefix(" "),
            name or found.process,
            found.level,
            found.origin,
            found.vllm_record or (name is not None and name.startswith(_VLLM_PROCESSES)),
            pid,
        )

    def _indented(self, found: Prefixed) -> Prefixed | None:
        """Take off blanks only when a prefix follows them; other indentation belongs to the text."""
        inner = found.text.lstrip()
        if inner[:1] == "(" and "pid=" in inner[:LONGEST_HEAD]:
            return self._tag(found._replace(text=inner))
        if inner[:1] in _LEVEL_INITIALS:
            return self._record(found._replace(text=inner))
        return None

    def _record(self, found: Prefixed) -> Prefixed | None:
        """Read `LEVEL MM-DD HH:MM:SS [file.py:LINE] text`, up to 0.7.3 without the opening bracket."""
        text = found.text
        end = text.find("]", 8, LONGEST_HEAD)
        if end < 0:
            return None
        level = text[: text.find(" ", 0, 9)]
        start = len(level) + 1 + len(_CLOCK)
        origin: str | None = text[start:end]
        if origin not in self._origins or level not in LEVELS or not _is_clock(text[len(level) + 1 : start]):
            head = text[:end]
            if head not in self._heads:
                self._heads[head] = _level_and_origin(head)
            known = self._heads[head]
            if known is None:
                return None
            level, origin = known
            if origin is not None and head.endswith(f" [{origin}"):
                self._origins.add(origin)
        rest = text[end + 1 :].removeprefix(" ")
        return Prefixed(rest, found.process, level, origin, vllm_record=True, pid=found.pid)


def _carried(found: Prefixed) -> Prefixed | None:
    """Return the line without what journald or compose put before it, or without the rest of a cut record."""
    head = found.text[:LONGEST_HEAD]
    if head[:1] in _MONTH_INITIALS and head[:3] in timestamps.MONTHS:
        return read_syslog(found)
    if "|" in head:
        return read_compose(found)
    return read_cut_record(found) if head[:1] == "]" or ".py:" in head else None


def _is_clock(text: str) -> bool:
    """Tell whether a text is the day and time of a record with what stands round them."""
    return text.translate(_TO_ZERO) == _CLOCK


def _is_bare(line: str, end: int) -> bool:
    """Tell quickly whether a line has no prefix; `end` is where a bracket closes in it."""
    first = line[:1]
    if first == " ":
        return line.lstrip()[:1] not in _INDENTED_PREFIX
    return first in _NO_PREFIX and "|" not in line[:LONGEST_HEAD] and (end < 0 or line[end - 1].isalpha())


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
    day = timestamps.short_length(rest) or timestamps.long_length(rest)
    origin = rest[day:].lstrip().removeprefix("[")
    place, _, number = origin.rpartition(":")
    if not number.isdigit() or " " in place or not place or (not day and not place.endswith(".py")):
        return None
    return level, origin
