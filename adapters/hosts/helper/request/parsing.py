"""From the object of a request to the verb and its typed arguments. Not for what the host's list allows."""

from __future__ import annotations

import re
from typing import Any, Callable, Mapping

from .. import PROTOCOL
from ..launch.change import Change
from .orders import Order
from .texts import bad, read_object

Check = Callable[[str, Any], Any]

_SERVER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,199}\Z")
_ENV = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}\Z")
_FLAG = re.compile(r"--[a-z][a-z0-9.-]{0,95}\Z")
_HASH = re.compile(r"[0-9a-f]{64}\Z")
_MODEL = re.compile(r"[\x20-\x7e]{0,512}\Z")
_VALUE = re.compile(r"[\x20-\x7e]{0,1024}\Z")
_KINDS = ("health", "models", "text", "image")
_MOST_CHANGES = 32
_MAX_FENCE = (1 << 53) - 1
#: of one piece of a log; masked and escaped it must fit a reply
MAX_LOG_LIMIT = 128 << 10


def parse(data: bytes) -> tuple[str, dict[str, Any]]:
    """Return the verb and the arguments of its act."""
    body = read_object(data)
    if "protocol" not in body or type(body["protocol"]) is not int or body["protocol"] != PROTOCOL:
        raise bad("this helper speaks protocol %d" % PROTOCOL)
    verb = body.get("verb")
    if not isinstance(verb, str) or verb not in _SHAPES:
        raise bad("the verb is none of %s" % ", ".join(sorted(_SHAPES)))
    rest = {key: value for key, value in body.items() if key not in ("protocol", "verb")}
    return verb, _shaped(verb, rest, _SHAPES[verb])


def _shaped(where: str, body: object, shape: Mapping[str, Check]) -> dict[str, Any]:
    if not isinstance(body, dict):
        raise bad("%s must be an object" % where)
    if set(body) != set(shape):
        raise bad("%s must hold %s and nothing else" % (where, ", ".join(sorted(shape)) or "no key"))
    return {key: check(key, body[key]) for key, check in shape.items()}


def _text(pattern: re.Pattern[str]) -> Check:
    def check(where: str, value: object) -> str:
        if not isinstance(value, str) or not pattern.match(value):
            raise bad("%s is not of the form it must have" % where)
        return value

    return check


def _integer(least: int, most: int) -> Check:
    def check(where: str, value: object) -> int:
        if type(value) is not int or not least <= value <= most:
            raise bad("%s must be a whole number from %d to %d" % (where, least, most))
        return value

    return check


def _seconds(least: float, most: float) -> Check:
    def check(where: str, value: object) -> float:
        if type(value) not in (int, float) or not least <= value <= most:  # type: ignore[operator]
            raise bad("%s must be a number from %g to %g" % (where, least, most))
        return float(value)  # type: ignore[arg-type]

    return check


def _kinds(where: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or any(kind not in _KINDS for kind in value):
        raise bad("%s must be a list of some of %s" % (where, ", ".join(_KINDS)))
    if len(set(value)) != len(value):
        raise bad("%s names something twice" % where)
    return tuple(value)


def _order(where: str, value: object) -> Order:
    return Order(**_shaped(where, value, _ORDER))


def _change(where: str, value: object) -> Change:
    change = Change(**_shaped(where, value, _CHANGE))
    if set(change.env_set) & set(change.env_unset) or set(change.flags_set) & set(change.flags_unset):
        raise bad("%s sets and removes the same name" % where)
    return change


def _names(pattern: re.Pattern[str]) -> Check:
    def check(where: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, list) or len(value) > _MOST_CHANGES:
            raise bad("%s must be a list of at most %d names" % (where, _MOST_CHANGES))
        names = tuple(_text(pattern)("a name in %s" % where, name) for name in value)
        if len(set(names)) != len(names):
            raise bad("%s names something twice" % where)
        return names

    return check


def _values(pattern: re.Pattern[str]) -> Check:
    def check(where: str, value: object) -> dict[str, str]:
        if not isinstance(value, dict) or len(value) > _MOST_CHANGES:
            raise bad("%s must be an object of at most %d names" % (where, _MOST_CHANGES))
        name_of, value_of = _text(pattern), _text(_VALUE)
        return {
            name_of("a name in %s" % where, name): value_of("a value in %s" % where, text)
            for name, text in value.items()
        }

    return check


_ORDER: Mapping[str, Check] = {"server": _text(_SERVER), "key": _text(_KEY), "fence": _integer(1, _MAX_FENCE)}
_CHANGE: Mapping[str, Check] = {
    "env_unset": _names(_ENV),
    "env_set": _values(_ENV),
    "flags_set": _values(_FLAG),
    "flags_unset": _names(_FLAG),
}
_RESTORE_AFTER = _seconds(0.1, 7 * 86400)
_SHAPES: Mapping[str, Mapping[str, Check]] = {
    "facts": {},
    "snapshot": {"server": _text(_SERVER)},
    "preflight": {"order": _order, "change": _change},
    "stop": {"order": _order, "grace_seconds": _seconds(0, 600), "restore_after_seconds": _RESTORE_AFTER},
    "start": {
        "order": _order,
        "change": _change,
        "spec_hash": _text(_HASH),
        "restore_after_seconds": _RESTORE_AFTER,
    },
    "status": {
        "server": _text(_SERVER),
        "log_offset": _integer(0, _MAX_FENCE),
        "log_limit": _integer(0, MAX_LOG_LIMIT),
    },
    "probe": {
        "server": _text(_SERVER),
        "kinds": _kinds,
        "model": _text(_MODEL),
        "timeout_seconds": _seconds(0.1, 600),
    },
    "commit": {"order": _order},
    "restore": {"order": _order, "restore_after_seconds": _RESTORE_AFTER},
}
