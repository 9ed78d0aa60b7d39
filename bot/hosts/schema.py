"""The registry's file as pydantic models. Not for reading it, nor for what uses it."""

from __future__ import annotations

import re
from datetime import date, time
from pathlib import Path  # noqa: TC003 (pydantic reads the types)
from typing import Annotated, Literal, Self
from zoneinfo import ZoneInfo

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from bot.access.actor import ACTOR_ID, GROUP_ID
from bot.access.policy import Action  # noqa: TC001
from bot.hosts.registry import DriverKind, ProbeSort, TransportKind

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")
_CHANNEL = re.compile(r"(?:slack|discord):[A-Za-z0-9_-]{1,64}:[A-Za-z0-9_-]{1,64}|console:[a-z0-9_-]{1,63}")
_ADDRESS = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|[0-9A-Fa-f:.]{2,45}")
_PUBLIC_KEY = re.compile(r"(?:ssh|ecdsa|sk)-[a-z0-9@.-]+ [A-Za-z0-9+/=]+(?: \S+)?")


def _matching(pattern: re.Pattern[str], what: str) -> BeforeValidator:
    def check(value: object) -> object:
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise ValueError(f"must be {what}")
        return value

    return BeforeValidator(check)


def _time_of_day(value: object) -> time:
    """Read `02:00`; YAML 1.1 takes it for a number in base sixty when nobody quotes it."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 24 * 60:
        return time(value // 60, value % 60)
    if isinstance(value, str) and re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", value):
        return time.fromisoformat(value)
    raise ValueError('must be a time of the day such as "02:00"')


def _zone(value: object) -> ZoneInfo:
    try:
        return ZoneInfo(str(value))
    except (KeyError, ValueError, OSError) as error:
        raise ValueError("must be a time zone such as Europe/Berlin or UTC") from error


def _is_actor(value: object) -> object:
    if not isinstance(value, str) or not (ACTOR_ID.fullmatch(value) or GROUP_ID.fullmatch(value)):
        raise ValueError(
            "must be an id that the platform gives: slack:TEAM:USER, slack:TEAM:group:GROUP, discord:GUILD:USER, "
            "discord:GUILD:role:ROLE or os:NAME"
        )
    return value


Name = Annotated[str, _matching(_NAME, "a name in small letters, digits, '.', '-' and '_'")]
Text = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
#: passed on to a server as it is, so it must not look like an option
ModelName = Annotated[
    str, _matching(re.compile(r"[^\s\x00-\x1f\x7f-][^\x00-\x1f\x7f]{0,199}"), "the name of a model")
]
Member = Annotated[str, BeforeValidator(_is_actor)]
Channel = Annotated[
    str, _matching(_CHANNEL, "a channel: slack:TEAM:CHANNEL, discord:GUILD:CHANNEL or console:NAME")
]
PublicKey = Annotated[str, _matching(_PUBLIC_KEY, "a public key as OpenSSH prints it: 'ssh-ed25519 AAAA…'")]
PortNumber = Annotated[int, Field(ge=1, le=65_535)]
HostAddress = Annotated[str, _matching(_ADDRESS, "a host name or an IP address")]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class GrantModel(_Strict):
    """What a role may on groups of hosts."""

    role: Name
    may: tuple[Action, ...] = Field(min_length=1)
    host_groups: tuple[Name, ...] = Field(min_length=1)


class AccessModel(_Strict):
    """People, roles, grants."""

    persons: dict[Name, tuple[Member, ...]] = Field(default_factory=dict)
    roles: dict[Name, tuple[Member, ...]] = Field(default_factory=dict)
    grants: tuple[GrantModel, ...] = ()

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        unknown = sorted({grant.role for grant in self.grants} - set(self.roles))
        if unknown:
            raise ValueError(f"grants name the role {unknown[0]}, and roles has no such entry")
        owners: dict[str, str] = {}
        for person, accounts in self.persons.items():
            for account in accounts:
                if owners.setdefault(account, person) != person:
                    raise ValueError(f"{account} belongs to {owners[account]} and to {person}: keep one")
        return self


class WindowModel(_Strict):
    """Hours in which nobody relaunches."""

    days: tuple[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"], ...] = Field(min_length=1)
    begins: Annotated[time, BeforeValidator(_time_of_day)]
    ends: Annotated[time, BeforeValidator(_time_of_day)]
    timezone: Annotated[ZoneInfo, BeforeValidator(_zone)]

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class ServerModel(_Strict):
    """One vLLM server."""

    name: Name
    driver: DriverKind
    port: PortNumber
    model: ModelName
    gpus: tuple[Text, ...] = ()
    gpu_name: Text | None = None
    vllm_version: Text | None = None
    expected_start_seconds: Annotated[int, Field(ge=5, le=4 * 3600)]
    probe: ProbeSort = ProbeSort.TEXT
    operations: tuple[Literal["relaunch", "fetch", "sweep"], ...] = ()
    approvers: tuple[Name, ...] = ()
    approvals_needed: Annotated[int, Field(ge=1, le=10)] = 1
    requester_may_approve: bool = False
    channels: tuple[Channel, ...] = ()
    maintenance: tuple[WindowModel, ...] = ()
    relaunches_per_hour: Annotated[int, Field(ge=1, le=60)] = 2


class ReachModel(_Strict):
    """Where a machine is."""

    address: HostAddress
    port: PortNumber = 22
    user: Annotated[str, _matching(re.compile(r"[a-z_][a-z0-9_-]{0,31}"), "the name of an account")]
    host_keys: tuple[PublicKey, ...] = ()
    host_authorities: tuple[PublicKey, ...] = ()
    certified_name: HostAddress | None = None
    special_addresses: tuple[Literal["loopback", "link-local"], ...] = ()

    @model_validator(mode="after")
    def _is_pinned(self) -> Self:
        if not self.host_keys and not self.host_authorities:
            raise ValueError(
                "has neither host_keys nor host_authorities: a host is never trusted at first sight. On the host, "
                "`cat /etc/ssh/ssh_host_ed25519_key.pub` shows its key"
            )
        return self


class JumpModel(ReachModel):
    """A machine that others are reached through."""

    name: Name


class HostModel(_Strict):
    """One machine."""

    name: Name
    group: Name
    production: bool = False
    owner: Text
    expires: date | None = None
    transport: TransportKind = TransportKind.SSH
    ssh: ReachModel | None = None
    key_file: Path | None = None
    certificate_file: Path | None = None
    jump: tuple[Name, ...] = ()
    helper: tuple[Text, ...] = ()
    servers: tuple[ServerModel, ...] = ()

    @model_validator(mode="after")
    def _can_be_reached(self) -> Self:
        if self.transport is TransportKind.SSH and (self.ssh is None or self.key_file is None):
            raise ValueError("is reached over ssh and needs `ssh` and `key_file`")
        if self.transport is TransportKind.LOCAL and not self.helper:
            raise ValueError("is this machine and needs `helper`: the helper's command as a list")
        if self.transport is TransportKind.LOCAL and (self.ssh is not None or self.jump):
            raise ValueError("is this machine, so `ssh` and `jump` say nothing: remove them")
        for path in (self.key_file, self.certificate_file):
            if path is not None and not path.is_absolute():
                raise ValueError(f"names {path}: write the whole path, from /")
        return self


class RegistryModel(_Strict):
    """The whole file."""

    version: Literal[1]
    access: AccessModel = AccessModel()
    jumps: tuple[JumpModel, ...] = ()
    hosts: tuple[HostModel, ...] = ()

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        _once("host", [host.name for host in self.hosts])
        _once("jump", [jump.name for jump in self.jumps])
        _once("server", [server.name for host in self.hosts for server in host.servers])
        jumps = {jump.name for jump in self.jumps}
        for host in self.hosts:
            for name in host.jump:
                if name not in jumps:
                    raise ValueError(
                        f"host {host.name} is reached through {name}, and jumps has no such entry"
                    )
            for server in host.servers:
                for role in server.approvers:
                    if role not in self.access.roles:
                        raise ValueError(
                            f"server {server.name} is approved by {role}, and access.roles has no such entry"
                        )
        return self


def _once(what: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"two {what}s are called {name}: names are unique in the whole file")
