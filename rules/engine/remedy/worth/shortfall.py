"""Holds a larger share of the GPU against what a message says is missing. Not for what a launch has already."""

from decimal import ROUND_UP, Decimal
from typing import Final

import re2

from rules.engine.gpus import read_gpu
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
#: least and most of any GPU, in GiB
_ANY: Final = (1, 288)


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
    known = read_gpu(gpu) if gpu else None
    return (known and known.memory) or _ANY


def _number(text: str | None) -> Decimal | None:
    return Decimal(text) if text and text != "." and _NUMBER.fullmatch(text) else None
