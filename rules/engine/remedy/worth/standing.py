"""Tells a change that a launch has already, or that moves a number the wrong way. Not for what a release takes."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Final

from rules.engine.paste.facts import Facts
from rules.engine.report import Change
from rules.engine.rule.model import Toward

_LONGEST: Final = 12


def stands_against(change: Change, toward: Toward | None, facts: Facts) -> str | None:
    """Return why a launch gains nothing by a change that only sets something; None where it may."""
    if change.env_unset or change.flags_unset:
        return None
    wanted = (*_beside(change.env_set, facts.env), *_beside(change.flags_set, facts.flags))
    if wanted and all(_same(value, now) for _, value, now in wanted):
        return f"{', '.join(name for name, _, _ in wanted)} is set so already"
    for name, value, now in wanted:
        if toward is not None and now is not None and _overshoots(value, now, toward):
            return f"{name} is {now} already, and {value} is no {toward} one"
    return None


def _beside(wanted: Mapping[str, str], now: Mapping[str, str]) -> tuple[tuple[str, str, str | None], ...]:
    return tuple((name, value, now.get(name)) for name, value in wanted.items())


def _same(value: str, now: str | None) -> bool:
    if now is None:
        return False
    mine, standing = _number(value), _number(now)
    return value in ("", now) or (mine is not None and mine == standing)


def _overshoots(value: str, now: str, toward: Toward) -> bool:
    mine, standing = _number(value), _number(now)
    if mine is None or standing is None:
        return False
    return mine >= standing if toward is Toward.LOWER else mine <= standing


def _number(text: str) -> Decimal | None:
    if not text.isascii() or len(text) > _LONGEST:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
