"""Makes hosts of the registry into what does our verbs. Not for what is asked of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from adapters.hosts.client import HelperHost
from adapters.hosts.errors import BrokenHostError, HostUnreachableError
from adapters.hosts.transport.lazy import LazyTransport
from bot.hosts.addresses import BadAddressError, UnknownNameError, look_up, pinned
from bot.hosts.registry import Host, Reach, TransportKind

if TYPE_CHECKING:
    from pathlib import Path

    from adapters.hosts.interface import Host as GpuHost
    from adapters.hosts.transport.interface import Transport
    from adapters.hosts.transport.ssh import SshAddress

#: all that a helper on this machine is given: nothing of the bot's own secrets
_HELPER_ENVIRONMENT: Final = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LANG": "C.UTF-8",
}


def open_host(host: Host) -> GpuHost:
    """Return a host of the registry as what does our verbs; nothing is looked up or connected before it is asked."""
    return HelperHost(host.name, LazyTransport(lambda: _transport(host)))


def write_helper(file: Path) -> str:
    """Write the helper's archive and return its SHA-256, hexadecimal. Raises `OSError`."""
    from adapters.hosts.build import write  # noqa: PLC0415 (only one command needs it)

    return write(file)


async def _transport(host: Host) -> Transport:
    if host.transport is TransportKind.LOCAL:
        from adapters.hosts.transport.local import LocalTransport  # noqa: PLC0415 (one of two, each slow to import)

        return LocalTransport(host.name, host.helper, _HELPER_ENVIRONMENT)
    from adapters.hosts.transport.ssh import SshKey, SshTransport  # noqa: PLC0415 (as above)

    try:
        route = tuple([await _address(one) for one in host.route])
    except UnknownNameError as error:
        raise HostUnreachableError(host.name, str(error)) from error
    except BadAddressError as error:
        raise BrokenHostError(host.name, str(error)) from error
    assert host.key_file is not None  # noqa: S101 (the registry's schema says so for SSH)
    return SshTransport(host.name, route, SshKey(host.key_file, host.certificate_file))


async def _address(reach: Reach) -> SshAddress:
    from adapters.hosts.transport.ssh import SshAddress  # noqa: PLC0415 (as above)

    return SshAddress(
        address=await pinned(reach.address, reach.special_addresses, look_up),
        port=reach.port,
        user=reach.user,
        host_keys=reach.host_keys,
        host_authorities=reach.host_authorities,
        certified_name=reach.certified_name,
    )
