"""The name that a misspelt one was meant to be. Not for deciding that a name is wrong."""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

#: pairs that are remembered: releases share most of their names
_REMEMBERED = 1 << 15


def nearest(name: str, known: Iterable[str], least: float) -> str | None:
    """Return the known name that is most like a given one, None when none is as like as `least`.

    >>> nearest("--prot", ["--port", "--root-path"], 0.7)
    '--port'
    """
    found = max(((_alike(name, one, least), one) for one in known), default=(0.0, ""))
    return found[1] if found[0] >= least else None


@lru_cache(maxsize=_REMEMBERED)
def _alike(name: str, known: str, least: float) -> float:
    matcher = SequenceMatcher(None, name, known)
    if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
        return 0.0
    return matcher.ratio()
