"""Holds a larger share of the GPU against what a message says is missing. Not for what a launch has already."""

from decimal import ROUND_UP, Decimal
from typing import Final

import re2

from rules.engine.remedy.doubts import Doubt
from rules.engine.report import Change
from rules.engine.seams import Case
from rules.releases.release import Release

SHARE: Final = "--gpu-memory-utilization"
#: captures of rules whose message says both: GiB that are needed and GiB that there are
_NEEDED: Final = "needed"
_AVAILABLE: Final = "available"
_DEFAULT: Final = Decimal("0.9")
_NUMBER: Final = re2.compile(r"\d{0,6}(?:\.\d{1,6})?")
_SIZE: Final = re2.compile(r"(?i)\b(\d{1,3}) ?Gi?B\b")
_PART: Final = re2.compile(r"[a-z0-9]+")
#: what any GPU has at most, in GiB
_LARGEST: Final = (1, 288)
#: smallest and largest memory in GiB that a product is sold with, by the word of its name that tells it
_SIZES: Final = {
    "t4": (15, 16), "p100": (12, 16), "v100": (16, 32), "a10": (22, 24), "a10g": (22, 24), "a30": (24, 24),
    "a40": (45, 48), "a100": (40, 80), "a800": (40, 80), "l4": (22, 24), "l40": (45, 48), "l40s": (45, 48),
    "h20": (96, 141), "h100": (64, 96), "h800": (80, 96), "h200": (139, 141), "gh200": (96, 144),
    "b200": (178, 192), "gb200": (178, 192), "3090": (24, 24), "4090": (24, 24), "5090": (32, 32),
    "mi210": (64, 64), "mi300x": (192, 192), "mi325x": (256, 256), "mi355x": (288, 288),
}  # fmt: skip


def falls_short(change: Change, case: Case, release: Release) -> str | Doubt | None:
    """Return why a larger share cannot give what is missing, or on which GPUs only; None where it may give it."""
    wanted, missing = _number(change.flags_set.get(SHARE)), _missing(case)
    if wanted is None or missing is None:
        return None
    flag = release.flag(SHARE)
    now = _number(case.facts.flags.get(SHARE)) or _number(flag.default if flag else None) or _DEFAULT
    if wanted <= now:
        return None
    least = (missing / (wanted - now)).quantize(Decimal(1), ROUND_UP)
    smallest, largest = _sizes(case.facts.gpu)
    if largest < least:
        return f"{missing} GiB are missing, more than {SHARE} {wanted} adds on this GPU"
    return Doubt("gpu", "if.memory-of", (("value", str(least)),)) if smallest < least else None


def _missing(case: Case) -> Decimal | None:
    needed, available = _number(case.captures.get(_NEEDED)), _number(case.captures.get(_AVAILABLE))
    return needed - available if needed is not None and available is not None else None


def _sizes(gpu: str | None) -> tuple[int, int]:
    told = _SIZE.search(gpu) if gpu else None
    if told is not None:
        return int(told[1]), int(told[1])
    found = (_SIZES[part] for part in _PART.findall((gpu or "").lower()) if part in _SIZES)
    return next(found, _LARGEST)


def _number(text: str | None) -> Decimal | None:
    return Decimal(text) if text and text != "." and _NUMBER.fullmatch(text) else None
