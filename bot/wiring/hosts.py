"""Hosts of the registry that were asked so far, by name. Not for reaching them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.hosts.interface import Host
    from bot.hosts.registry import Host as RegisteredHost
    from bot.hosts.watching import RegistryFile


class Hosts:
    """Hosts of the registry by name; one whose entry changed is reached anew."""

    def __init__(self, registry: RegistryFile, open_host: Callable[[RegisteredHost], Host]) -> None:
        self._registry = registry
        self._open_host = open_host
        self._opened: dict[str, tuple[RegisteredHost, Host]] = {}

    def __call__(self, name: str) -> Host:
        """Return a host. Raises `LookupError`."""
        entry = self._registry().host(name)
        known = self._opened.get(name)
        if entry is None and known is not None:
            # a run that has begun must be able to go back although somebody took the entry away
            return known[1]
        if entry is None:
            raise LookupError(f"no host {name} is registered")
        if known is None or known[0] != entry:
            self._opened[name] = known = (entry, self._open_host(entry))
        return known[1]

    async def close(self) -> None:
        """Close all connections."""
        for _, host in self._opened.values():
            await host.close()
