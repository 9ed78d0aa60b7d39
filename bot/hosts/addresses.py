"""Which addresses are never connected to unless the registry says so. Looks a name up once. Not for connecting."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    Address = ipaddress.IPv4Address | ipaddress.IPv6Address
    #: host name → addresses; raises `OSError`
    Lookup = Callable[[str], Awaitable[Sequence[str]]]

#: where clouds answer questions about the machine that asks
METADATA: Final = frozenset(
    ipaddress.ip_address(one)
    for one in ("169.254.169.254", "169.254.170.2", "168.63.129.16", "100.100.100.200", "fd00:ec2::254")
)
#: kinds that an entry may allow by name; the rest never
KINDS: Final = ("loopback", "link-local")


class BadAddressError(Exception):
    """A host's address cannot be used; says which and why."""

    def __init__(self, address: str, what: str, next_step: str) -> None:
        super().__init__(f"{address} {what}; {next_step}")
        self.address = address


class UnknownNameError(BadAddressError):
    """A name has no address now; whoever answers for names may know it again later."""


def kind_of(address: Address) -> str | None:
    """Return what is special about an address; None for an ordinary one."""
    plain = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    seen = plain or address
    kinds = (
        ("metadata", seen in METADATA),
        ("unspecified", seen.is_unspecified),
        ("loopback", seen.is_loopback),
        ("link-local", seen.is_link_local),
        ("multicast", seen.is_multicast),
        ("reserved", seen.is_reserved),
    )
    return next((name for name, holds in kinds if holds), None)


async def pinned(address: str, allowed: frozenset[str], lookup: Lookup) -> str:
    """Return the IP address to connect to, looked up once. Raises `BadAddressError`.

    Every address of a name has to be allowed: whoever answers for the name must not choose.
    """
    found = await _addresses(address, lookup)
    for one in found:
        kind = kind_of(one)
        if kind is not None and kind not in allowed:
            next_step = (
                f"if that is meant, write `special_addresses: [{kind}]` into its entry"
                if kind in KINDS
                else "name another address"
            )
            raise BadAddressError(address, f"is a {kind} address ({one})", next_step)
    return str(found[0])


async def _addresses(address: str, lookup: Lookup) -> list[Address]:
    try:
        return [ipaddress.ip_address(address)]
    except ValueError:
        pass
    try:
        found = [ipaddress.ip_address(one.partition("%")[0]) for one in await lookup(address)]
    except OSError as error:
        raise UnknownNameError(
            address, f"is not known ({error.strerror or error})", "check the name"
        ) from error
    if not found:
        raise UnknownNameError(address, "has no address", "check the name")
    return found


async def look_up(name: str) -> Sequence[str]:
    """Return the addresses of a name, as this machine resolves it. Raises `OSError`."""
    found = await asyncio.get_running_loop().getaddrinfo(name, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(one[4][0]) for one in found))
