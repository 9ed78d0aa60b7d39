"""What a card may offer where it stands, by registry and channel. Pure. Not who may: that is asked at the press."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from bot.access.authorization import OPERATIONS
from bot.access.policy import Action
from bot.hosts.registry import Registry

if TYPE_CHECKING:
    from datetime import date

    from bot.hosts.registry import Host


@dataclass(frozen=True, slots=True)
class Scope:
    """What is worth a button in a channel; goes to worker processes."""

    can_relaunch: bool = False
    #: what a server tells is read already
    is_fetched: bool = False
    #: as the registry writes channels
    channel: str = ""
    #: machines with those of their servers that are acted on in the channel
    hosts: tuple[Host, ...] = ()

    @property
    def registry(self) -> Registry:
        """Return the servers as a registry that allows nobody anything, for guessing which one is meant."""
        return Registry(self.hosts)

    @property
    def fetchable(self) -> Registry:
        """Return those whose log may be sent to the channel."""
        return Registry(() if self.is_fetched else _listing(self.hosts, Action.FETCH))

    @property
    def can_sweep(self) -> bool:
        """Tell whether one of them may be asked whether it would fail too."""
        return bool(_listing(self.hosts, Action.SWEEP))


#: no registry is configured, or nothing of it concerns the channel
NOTHING: Final = Scope()


def scope_of(registry: Registry, channel: str, today: date) -> Scope:
    """Return what may be offered in a channel."""
    found = []
    for host in registry.hosts:
        # windows of maintenance tell nothing of what is meant, and know their time zones
        servers = tuple(replace(one, maintenance=()) for one in host.servers if channel in one.channels)
        if servers and not host.has_expired(today):
            found.append(replace(host, servers=servers))
    return Scope(can_relaunch=True, channel=channel, hosts=tuple(found))


def _listing(hosts: tuple[Host, ...], action: Action) -> tuple[Host, ...]:
    """Return the machines with those servers whose entry lists an action."""
    found = []
    for host in hosts:
        servers = tuple(one for one in host.servers if OPERATIONS[action] in one.operations)
        if servers:
            found.append(replace(host, servers=servers))
    return tuple(found)
