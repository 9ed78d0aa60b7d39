"""Which server somebody means: guessed from what a paste and its place say, never decided by it. Pure.

A guess only orders the picker or fills in a form; what is relaunched is what the plan names and somebody approves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from bot.hosts.registry import Host, Registry, Server


#: beside a name these make another name of it
_JOINING: Final = frozenset("-_/")


@dataclass(frozen=True, slots=True)
class Hints:
    """What is known of the failed server."""

    #: as the paste names it: a hub id, a path, or a short name
    model: str | None = None
    port: int | None = None
    #: any text that may hold the name of a machine: the prefix of log lines, the title of an alert
    words: frozenset[str] = frozenset()
    #: where it was said, as the registry writes channels
    channel: str = ""


#: nothing is known of it
NO_HINTS: Final = Hints()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A server that may be meant."""

    host: Host
    server: Server
    #: more is likelier; only to be compared with others of the same guess
    score: int


def candidates(registry: Registry, hints: Hints) -> tuple[Candidate, ...]:
    """Return the servers that may be meant, the likeliest first; all of them have something that fits."""
    found = [Candidate(host, server, _score(host, server, hints)) for host, server in registry.servers()]
    fitting = [one for one in found if one.score > 0]
    return tuple(sorted(fitting, key=lambda one: (-one.score, one.server.name)))


def the_one(found: tuple[Candidate, ...]) -> Candidate | None:
    """Return the candidate that nothing rivals; None: somebody has to pick."""
    if not found:
        return None
    is_alone = len(found) == 1 or found[0].score > found[1].score
    return found[0] if is_alone else None


def replicas(registry: Registry, host: Host, server: Server) -> tuple[str, ...]:
    """Return the names of all servers of the same model in the same group, itself included: relaunched one by one."""
    return tuple(
        sorted(
            one.name
            for other, one in registry.servers()
            if (other.group, one.model) == (host.group, server.model)
        )
    )


def named_in(text: str, registry: Registry) -> frozenset[str]:
    """Return the names of servers and machines that stand in a text by themselves, as `Hints.words` wants them.

    A server that is called like its model is not named by a text about the model.
    """
    lowered = text.lower()
    names = {name.lower() for host, server in registry.servers() for name in _names(host, server)}
    return frozenset(name for name in names if _stands_in(name, lowered))


def _names(host: Host, server: Server) -> tuple[str, ...]:
    is_own = server.name.lower() not in server.model.lower()
    return (host.name, *(reach.address for reach in host.route), *((server.name,) if is_own else ()))


def _stands_in(name: str, text: str) -> bool:
    place = text.find(name)
    while place >= 0:
        around = (text[max(0, place - 1) : place], text[place + len(name) : place + len(name) + 1])
        if not any(one.isalnum() or one in _JOINING for one in around if one):
            return True
        place = text.find(name, place + 1)
    return False


def _score(host: Host, server: Server, hints: Hints) -> int:
    words = {word.lower() for word in hints.words}
    named = server.name.lower() in words
    score = 16 if named else 0
    if {host.name.lower(), *(reach.address.lower() for reach in host.route)} & words:
        score += 8
    if hints.model is not None:
        if not same_model(hints.model, server.model) and not named:
            return 0
        score += 4
    if hints.port is not None and hints.port == server.port:
        score += 2
    if hints.channel and hints.channel in server.channels:
        score += 1
    return score


def same_model(one: str, other: str) -> bool:
    """Tell whether two ways to write a model can mean the same: `Qwen/Qwen3-VL-8B`, `/models/Qwen3-VL-8B/`."""
    short = [name.rstrip("/").rpartition("/")[2].lower() for name in (one, other)]
    return short[0] == short[1] != ""
