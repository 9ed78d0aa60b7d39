"""What is wrong with an entry of the registry, without connecting anywhere. Not for the file's form."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from bot.hosts.addresses import BadAddressError, look_up, pinned

if TYPE_CHECKING:
    from datetime import date
    from pathlib import Path

    from bot.hosts.registry import Host, Registry


async def faults_of(host: Host, registry: Registry, today: date) -> list[str]:
    """Return one sentence for each thing that would keep the host from being used."""
    faults = []
    if host.has_expired(today):
        faults.append(f"the entry expired on {host.expires}: ask {host.owner}, and set another date")
    for reach in host.route:
        try:
            await pinned(reach.address, reach.special_addresses, look_up)
        except BadAddressError as error:
            faults.append(str(error))
    if host.key_file is not None:
        faults += _file_faults(host.key_file, is_secret=True)
    if host.certificate_file is not None:
        faults += _file_faults(host.certificate_file, is_secret=False)
    if host.helper and not os.access(host.helper[0], os.X_OK) and "/" in host.helper[0]:
        faults.append(f"the helper {host.helper[0]} cannot be run")
    return faults + _authority_faults(host, registry)


def _file_faults(file: Path, *, is_secret: bool) -> list[str]:
    try:
        mode = file.stat().st_mode
    except OSError as error:
        return [f"{file} cannot be read: {error.strerror}"]
    if is_secret and stat.S_IMODE(mode) & 0o077:
        return [f"{file} can be read by others: `chmod 600 {file}`"]
    return [] if os.access(file, os.R_OK) else [f"{file} cannot be read by this user"]


def _authority_faults(host: Host, registry: Registry) -> list[str]:
    """Return what would keep everybody from acting although the entry looks as if somebody could."""
    members = registry.policy.members
    faults = []
    for server in host.servers:
        if "relaunch" not in server.operations:
            continue
        if not any(members.get(role) for role in server.approvers):
            faults.append(f"server {server.name} can be relaunched, and nobody may approve it")
        if not any(
            "request" in grant.actions and host.group in grant.host_groups for grant in registry.policy.grants
        ):
            faults.append(f"server {server.name} can be relaunched, and no role may ask for it")
    return faults
