"""Says a range of releases in words: `>=0.11.1,<0.13` as people say it. Not for what a range means."""

from __future__ import annotations

from bot.locale import say

#: how one part of a range begins, longer ones first → the sentence for it
_PARTS = {"===": "is", "==": "is", ">=": "from", "<=": "to", "!=": "not", ">": "after", "<": "before"}


def in_words(specifier: str, language: str) -> str:
    """Return a PEP 440 range in words; what is no such range is returned as it stands."""
    parts = [part.strip() for part in specifier.split(",") if part.strip()]
    found: dict[str, list[str]] = {}
    for part in parts:
        sign = next((sign for sign in _PARTS if part.startswith(sign)), None)
        if sign is None:
            return specifier
        found.setdefault(_PARTS[sign], []).append(part.removeprefix(sign).strip())
    without = found.pop("not", [])
    names = "-".join(found)
    if any(len(numbers) > 1 for numbers in found.values()) or names not in _KNOWN:
        return specifier
    values = {name: numbers[0] for name, numbers in found.items()}
    text = say(f"range.{names}", language, **{_VALUES[name]: value for name, value in values.items()})
    return text + (say("range.without", language, releases=", ".join(without)) if without else "")


_VALUES = {"is": "release", "from": "first", "after": "first", "to": "last", "before": "last"}
_KNOWN = frozenset(
    {"is", "from", "to", "after", "before", "from-before", "from-to", "after-before", "after-to"}
)
