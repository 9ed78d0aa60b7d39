"""What somebody filled into a form. Not for what is made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def filled_in(data: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
    """Return what a form says: texts by `custom_id`, and ids of its files."""
    texts: dict[str, str] = {}
    files: list[str] = []
    for part in data.get("components") or ():
        inner = part.get("component")
        for one in (inner,) if inner else part.get("components") or ():
            name = str(one.get("custom_id") or "")
            if isinstance(one.get("value"), str):
                texts[name] = one["value"]
            elif isinstance(one.get("values"), list):
                files += [str(value) for value in one["values"]]
    return texts, files
