"""Hosts and servers as the registry names them. Pure. Not for reading the file: that is `reading`."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from bot.access.authorization import Target
from bot.access.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date
    from pathlib import Path

    from bot.hosts.maintenance import Window


class TransportKind(StrEnum):
    """How a machine is reached."""

    SSH = "ssh"
    #: this very machine
    LOCAL = "local"


class DriverKind(StrEnum):
    """What keeps a server running on its machine."""

    PROCESS = "process"
    SYSTEMD = "systemd"
    DOCKER = "docker"
    COMPOSE = "compose"


class ProbeSort(StrEnum):
    """What a server has to answer before it counts as up."""

    TEXT = "text"
    #: an image too, whatever was changed
    VISION = "vision"


@dataclass(frozen=True, slots=True)
class Reach:
    """Where an SSH server is and how both sides prove themselves."""

    address: str
    port: int
    user: str
    host_keys: tuple[str, ...]
    host_authorities: tuple[str, ...]
    certified_name: str
    #: kinds of addresses that are refused unless they are named here: `loopback`, `link-local` …
    special_addresses: frozenset[str]


@dataclass(frozen=True, slots=True)
class Server:
    """One vLLM server on a machine."""

    name: str
    driver: DriverKind
    port: int
    #: the name that its API serves the model under
    model: str
    gpus: tuple[str, ...]
    vllm_version: str | None
    #: its compute capability or product, for choosing a fix
    gpu_name: str | None
    expected_start_seconds: int
    probe: ProbeSort
    operations: frozenset[str]
    approvers: frozenset[str]
    approvals_needed: int
    requester_may_approve: bool
    channels: frozenset[str]
    maintenance: tuple[Window, ...]
    relaunches_per_hour: int


@dataclass(frozen=True, slots=True)
class Host:
    """One machine."""

    name: str
    group: str
    is_production: bool
    owner: str
    #: the last day on which the entry counts; None: no end
    expires: date | None
    transport: TransportKind
    #: machines on the way, the last one is the host itself; empty for a local one
    route: tuple[Reach, ...]
    key_file: Path | None
    certificate_file: Path | None
    #: the helper's program on a local machine
    helper: tuple[str, ...]
    servers: tuple[Server, ...]

    def server(self, name: str) -> Server | None:
        """Return one of its servers."""
        return next((one for one in self.servers if one.name == name), None)

    def has_expired(self, today: date) -> bool:
        """Tell whether the entry does not count any more."""
        return self.expires is not None and today > self.expires

    def target(self, server: Server) -> Target:
        """Return what authorization asks of a server."""
        return Target(
            server=server.name,
            host=self.name,
            host_group=self.group,
            is_production=self.is_production,
            operations=server.operations,
            approvers=server.approvers,
            approvals_needed=server.approvals_needed,
            channels=server.channels,
            requester_may_approve=server.requester_may_approve,
        )


@dataclass(frozen=True, slots=True)
class Registry:
    """All machines, and who may do what on them."""

    hosts: tuple[Host, ...] = ()
    policy: Policy = field(default_factory=Policy)

    def host(self, name: str) -> Host | None:
        """Return one machine."""
        return next((one for one in self.hosts if one.name == name), None)

    def servers(self) -> Iterator[tuple[Host, Server]]:
        """Give every server with its machine."""
        for host in self.hosts:
            for server in host.servers:
                yield host, server

    def find(self, name: str) -> tuple[Host, Server] | None:
        """Return a server by its name; names are unique over all machines."""
        return next(((host, server) for host, server in self.servers() if server.name == name), None)
