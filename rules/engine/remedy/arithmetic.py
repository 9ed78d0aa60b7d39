"""Values of fixes that are worked out of what a message prints. Not for reading the message."""

from collections.abc import Callable, Mapping
from decimal import ROUND_DOWN, Decimal
from typing import Final

#: GiB that stay free beside what vLLM takes, for what starts after the message was printed
_SPARE: Final = Decimal("0.5")
#: a smaller part of a GPU holds no model worth serving, so lowering the fraction helps nobody
_SMALLEST_SHARE: Final = Decimal("0.3")
#: more heads or GPUs than any model or host has: such a number is no count
_LARGEST: Final = 65536
_LONGEST: Final = 12


def share(free: str, total: str) -> str | None:
    """Return the fraction of a GPU that is surely free, both in GiB, rounded down to two places.

    None: too small to be worth a start, or no numbers.
    """
    have, whole = _number(free), _number(total)
    if have is None or whole is None or whole <= 0:
        return None
    part = ((have - _SPARE) / whole).quantize(Decimal("0.01"), ROUND_DOWN)
    return str(part) if _SMALLEST_SHARE <= part < 1 else None


def divisor(most: str, number: str) -> str | None:
    """Return the largest power of two below `most` that divides a number; None without one above 1, or no counts.

    Another divisor suits the number only: what else is split with it, such as key-value heads or the width
    of a layer, is nearly always a multiple of powers of two.
    """
    limit, whole = _count(most), _count(number)
    if limit is None or whole is None:
        return None
    found = whole & -whole
    while found >= limit:
        found //= 2
    return str(found) if found > 1 else None


def _number(text: str) -> Decimal | None:
    plain = text.isascii() and len(text) <= _LONGEST and text.replace(".", "", 1).isdigit()
    return Decimal(text) if plain else None


def _count(text: str) -> int | None:
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST):
        return None
    return number if 0 < (number := int(text)) <= _LARGEST else None


#: by the name that stands in a placeholder, such as `{free:share:total}`
OPERATIONS: Final[Mapping[str, Callable[[str, str], str | None]]] = {"share": share, "divisor": divisor}
