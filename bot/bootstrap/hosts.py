"""Makes hosts of the registry into what does our verbs. Not for what is asked of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bot.hosts import registry
from bot.hosts.addresses import look_up, pinned

if TYPE_CHECKING:
    from adapters.hosts.interface import Host as GpuHost

#: all that a helper on this machine is given: nothing of the bot's own secrets
_HELPER_ENVIRONMENT: Final = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LANG": "C.UTF-8",
}


async def open_host(host: registry.Host) -> GpuHost:
    """Return a host of the registry as what does our verbs; nothing is connected yet, but names are looked up.

    Raises `BadAddressError`.
    """
    from adapters.hosts.client import HelperHost  # noqa: PLC0415 (slow to import)

    if host.transport is registry.TransportKind.LOCAL:
        from adapters.hosts.transport.local import LocalTransport  # noqa: PLC0415 (slow to import)

        return HelperHost(host.name, LocalTransport(host.name, host.helper, _HELPER_ENVIRONMENT))
    from adapters.hosts.transport.ssh import SshAddress, SshKey, SshTransport  # noqa: PLC0415 (slow to import)

    route = tuple(
        [
            SshAddress(
                address=await pinned(one.address, one.special_addresses, look_up),
                port=one.port,
                user=one.user,
                host_keys=one.host_keys,
                host_authorities=one.host_authorities,
                certified_name=one.certified_name,
            )
            for one in host.route
        ]
    )
    assert host.key_file is not None  # noqa: S101 (the registry's schema says so for SSH)
    return HelperHost(host.name, SshTransport(host.name, route, SshKey(host.key_file, host.certificate_file)))
