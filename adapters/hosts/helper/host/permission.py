"""Whether the host's own list allows a change. Not for whether it helps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Iterable, Mapping

from ..refusal import NOT_ALLOWED, Refusal
from .never import is_never_env, is_never_flag

if TYPE_CHECKING:
    from ..launch.change import Change
    from .server import Allowed, Server


def check_change(server: Server, change: Change) -> None:
    """Refuse the first name or value that is not on the list."""
    _check("variable", server, server.env_allowed, is_never_env, change.env_unset, change.env_set)
    _check("flag", server, server.flags_allowed, is_never_flag, change.flags_unset, change.flags_set)


def _check(
    what: str,
    server: Server,
    allowed: Mapping[str, Allowed],
    is_never: Callable[[str], bool],
    removed: Iterable[str],
    values: Mapping[str, str],
) -> None:
    for name in [*removed, *values]:
        if is_never(name):
            raise Refusal(
                NOT_ALLOWED, "the %s %s is never changed from chat" % (what, name), "change it on the host"
            )
        if name not in allowed:
            raise _refused("the %s %s is not on this host's list for %s" % (what, name, server.name))
    for name, value in values.items():
        if not allowed[name].holds(value):
            raise _refused(
                "this value of the %s %s is not on this host's list for %s" % (what, name, server.name)
            )


def _refused(what: str) -> Refusal:
    return Refusal(NOT_ALLOWED, what, "the host's owner may add it")
