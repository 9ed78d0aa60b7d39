"""Which names a request may use for this server. Pure. A foreign name means that a browser was tricked."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class KnownHosts:
    """The names of this server."""

    #: the port it listens on
    port: int
    #: only this machine can reach it
    is_loopback: bool
    public_url: str | None = None
    trusted: tuple[str, ...] = ()

    def knows(self, host: str) -> bool:
        """Tell whether a `Host` header names this server.

        An address in numbers cannot be rebound by a foreign name server, so it needs no list.
        """
        if self.public_url is not None and host.lower() == urlsplit(self.public_url).netloc.lower():
            return True
        name, port = _split(host)
        if name in self.trusted:
            return True
        if port != self.port:
            return False
        if name == "localhost":
            return True
        try:
            address = ip_address(name)
        except ValueError:
            return False
        return address.is_loopback or not self.is_loopback

    def is_own_origin(self, origin: str, host: str, scheme: str) -> bool:
        """Tell whether an `Origin` header is that of our own pages, as this request addresses them."""
        if self.public_url is not None and origin.lower() == self.public_url.lower():
            return True
        return origin.lower() == f"{scheme}://{host}".lower() and self.knows(host)


def _split(host: str) -> tuple[str, int | None]:
    """Return the name and the port of a `Host` header; a port that cannot be read is None."""
    try:
        parts = urlsplit(f"//{host}")
        return (parts.hostname or "").lower(), parts.port if parts.port is not None else 80
    except ValueError:
        return "", None
