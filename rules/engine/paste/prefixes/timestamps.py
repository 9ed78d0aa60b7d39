"""Lengths of the dates and times that logs begin with. Not for telling when something happened."""

from typing import Final

MONTHS: Final = frozenset(
    {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}
)
_DIGITS: Final = "0123456789"


def _clock_length(text: str, start: int) -> int:
    """Return the length of `HH:MM:SS` with an optional fraction at `start`, 0 when it is not there."""
    clock = text[start : start + 8]
    if (
        len(clock) < 8
        or clock[2] != ":"
        or clock[5] != ":"
        or not (clock[:2] + clock[3:5] + clock[6:]).isdigit()
    ):
        return 0
    fraction = text[start + 8 : start + 22]
    if fraction[:1] in {".", ","} and fraction[1:2].isdigit():
        return 9 + len(fraction[1:]) - len(fraction[1:].lstrip(_DIGITS))
    return 8


def short_length(text: str) -> int:
    """Return the length of vLLM's `MM-DD HH:MM:SS` at the start, 0 without one."""
    day = text[:6]
    if len(day) < 6 or day[2] != "-" or day[5] != " " or not (day[:2] + day[3:5]).isdigit():
        return 0
    clock = _clock_length(text, 6)
    return 6 + clock if clock else 0


def long_length(text: str) -> int:
    """Return the length of `2025-11-28T07:55:57.123Z`, `2025/11/28 07:55:57,123`, 0 without one."""
    day = text[:11]
    if len(day) < 11 or day[4] not in "-/" or day[7] != day[4] or day[10] not in "T ":
        return 0
    if not (day[:4] + day[5:7] + day[8:10]).isdigit():
        return 0
    clock = _clock_length(text, 11)
    if not clock:
        return 0
    end = 11 + clock
    zone = text[end : end + 6]
    if zone[:1] == "Z":
        return end + 1
    if zone[:1] in {"+", "-"} and zone[1:3].isdigit() and zone[3:].replace(":", "")[:2].isdigit():
        return end + (6 if zone[3:4] == ":" else 5)
    return end


def syslog_length(text: str) -> int:
    """Return the length of `Feb  4 08:47:08` at the start, 0 without one."""
    if text[:3] not in MONTHS or text[3:4] != " " or not text[4:6].strip().isdigit() or text[6:7] != " ":
        return 0
    clock = _clock_length(text, 7)
    return 7 + clock if clock else 0
