"""Prefixes of what carries vLLM's output: uvicorn, torchrun, Kubernetes, journald, compose, other loggers.

Not for vLLM's own records and tags. Each function returns the line with one layer off, None without it.
"""

from typing import Final

from rules.engine.paste.prefixes import timestamps
from rules.engine.paste.prefixes.prefixed import LEVELS, LONGEST_HEAD, Prefixed

#: levels that tell of no failure
_CALM: Final = frozenset({"INFO", "DEBUG", "TRACE", "SUCCESS"})
#: loggers of vLLM, as forms of people's own name them
_OWN_LOGGERS: Final = ("vllm.", "vllm:")
_FOREIGN_LEVELS: Final = LEVELS | {"WARN", "FATAL", "TRACE", "SUCCESS"}


def read_uvicorn(found: Prefixed) -> Prefixed | None:
    """Read `INFO:     text` of uvicorn and `ERROR:root:text` of Python's default logger."""
    level, colon, rest = found.text.partition(":")
    if not colon or level not in _FOREIGN_LEVELS or found.level is not None:
        return None
    if rest.startswith("root:"):
        return found._replace(text=rest[5:], level=level)
    return found._replace(text=rest.lstrip(), level=level) if rest.startswith(" ") else None


def read_bracket(found: Prefixed) -> Prefixed | None:
    """Read `[rank0]:`, `[pod/name/container]`, `[1,0]<stderr>:` and `[2025-03-05 14:28:45,735]`."""
    text = found.text
    end = text.find("]", 1, LONGEST_HEAD)
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
    arrow = rest.find(">>> ", 0, LONGEST_HEAD)
    own = found.vllm_record or (arrow >= 0 and "[vllm" in rest[:arrow])
    message = rest[arrow + 4 :] if arrow >= 0 else rest.removeprefix(" ")
    return found._replace(text=message, level=level, vllm_record=own)


def read_dated(found: Prefixed) -> Prefixed | None:
    """Read an ISO time, and what CRI, journald, loguru or Python's logging put after it."""
    text = found.text
    length = timestamps.long_length(text)
    if not length:
        number, mark, rest = text.partition(": ")
        labelled = mark and len(number) < 5 and number.isdigit() and rest[:1] in "([" and rest[:1]
        return found._replace(text=rest) if labelled else None
    rest = text[length:].lstrip().removeprefix(">> ")
    stream, _, tail = rest.partition(" ")
    if stream in {"stdout", "stderr"} and tail[:2] in {"F ", "P ", "F", "P"}:
        return found._replace(text=tail[2:])
    logged = _read_logged(found, rest)
    if logged is not None:
        return logged
    if text[length : length + 1] not in {"", " ", "\t"}:
        return None
    if stream in _FOREIGN_LEVELS and not timestamps.short_length(tail):
        return found._replace(text=tail.lstrip(), level=stream)
    return found._replace(text=_after_host(rest))


def _read_logged(found: Prefixed, rest: str) -> Prefixed | None:
    """Read `LEVEL | place - text`, `logger - LEVEL - text` and their kin behind a time; None for no such record."""
    for separator in (" | ", " - "):
        if rest[:1] in "-|":
            rest = rest[1:].lstrip()
        parts = rest.split(separator, 2)
        level = next((part.strip() for part in parts[:2] if part.strip() in _FOREIGN_LEVELS), None)
        if len(parts) < 2 or level is None:
            continue
        message, logger = _after_level(parts, separator)
        if logger is None and level in _CALM:
            # what only passes output on calls all of it calm, whatever it says
            return found._replace(text=_without_label(message))
        own = found.vllm_record or (logger or "").startswith(_OWN_LOGGERS)
        return found._replace(text=message, level=level, vllm_record=own)
    return None


def _after_level(parts: list[str], separator: str) -> tuple[str, str | None]:
    """Return the message of a split record, and the logger or place that it comes from, if that is named.

    Loguru puts `module:function:line - ` before the message.
    """
    if separator == " | " and len(parts) == 3 and " - " in parts[2][:LONGEST_HEAD]:
        place, _, message = parts[2].partition(" - ")
        return message, place
    if parts[0].strip() in _FOREIGN_LEVELS:
        place, mark, message = separator.join(parts[1:]).partition(" - ")
        named = bool(mark) and " " not in place.strip()
        return (message, place.strip()) if named else (separator.join(parts[1:]), None)
    return parts[-1], parts[0]


def _without_label(message: str) -> str:
    """Return what a program passed on, without the `[container] ` that tells whose it is."""
    label, mark, rest = message.removeprefix("[").partition("] ")
    return rest if mark and message.startswith("[") and label.isalpha() and label.islower() else message


def read_syslog(found: Prefixed) -> Prefixed | None:
    """Read `Feb 04 08:47:08 host program[123]: text`."""
    length = timestamps.syslog_length(found.text)
    return found._replace(text=_after_host(found.text[length:].lstrip())) if length else None


def _after_host(text: str) -> str:
    """Return the text without `host program[123]: `."""
    end = text.find("]: ", 0, LONGEST_HEAD)
    if end < 0 and text.endswith("]:"):
        end = len(text) - 2
    program = text[:end].rsplit(" ", 1)[-1] if end > 0 else ""
    name, mark, pid = program.partition("[")
    if mark and name and pid.isdigit() and text[:end].count(" ") <= 1:
        return text[end + 2 :].removeprefix(" ")
    return text


def read_compose(found: Prefixed) -> Prefixed | None:
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


def read_cut_record(found: Prefixed) -> Prefixed | None:
    """Read the rest of a record whose start was not copied: `07:55:57 [core.py:842] text`, `] text`."""
    text = found.text
    if text.startswith("] "):
        return found._replace(text=text[2:])
    end = text.find("] ", 0, LONGEST_HEAD)
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
