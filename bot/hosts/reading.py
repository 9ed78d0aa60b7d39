"""Reads the registry's file; every fault with file and line. Not for what the entries are used for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from bot.access.policy import Grant, Policy
from bot.hosts.maintenance import Window
from bot.hosts.registry import Host, Reach, Registry, Server
from bot.hosts.schema import RegistryModel
from rules.engine.rule.yaml_file import read_yaml

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic_core import ErrorDetails

    from bot.hosts.schema import AccessModel, HostModel, ReachModel, ServerModel
    from rules.engine.rule.faults import Fault

#: kind of fault → what we say of it
_OUR_WORDS = {
    "extra_forbidden": "is no key of the registry: see docs/how-to/register-gpu-hosts.md",
    "missing": "is missing",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "string_type": "must be text (quote it)",
    "tuple_type": "must be a list",
    "dict_type": "must be a mapping",
    "model_type": "must be a mapping",
    "enum": "must be one of {expected}",
    "literal_error": "must be {expected}",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "too_short": "must hold at least one value",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most {max_length} characters",
    "string_pattern_mismatch": "must not hold control characters",
    "date_from_datetime_parsing": "must be a date such as 2027-01-31",
    "date_parsing": "must be a date such as 2027-01-31",
    "date_type": "must be a date such as 2027-01-31",
}


class BadRegistryError(Exception):
    """The registry cannot be used; one sentence for each fault, with file and line."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


def read_registry(file: Path) -> Registry:
    """Return what the file says. Raises `BadRegistryError` with all faults."""
    read = read_yaml(file)
    if read.faults:
        raise BadRegistryError(_told(read.faults))
    if not isinstance(read.data, dict):
        raise BadRegistryError((f"{file}:1: must be a mapping that begins with `version: 1`",))
    try:
        model = RegistryModel.model_validate(read.data)
    except ValidationError as error:
        for fault in error.errors():
            read.fault(_keys(fault["loc"]), _sentence(fault))
        raise BadRegistryError(_told(sorted(read.faults, key=lambda one: one.line))) from error
    return _registry(model)


def _told(faults: list[Fault]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(fault) for fault in faults))


def _keys(place: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Return the parts of a place that stand in the file: a key of a mapping is told as `KEY`, `[key]`."""
    return tuple(part for part in place if part != "[key]")


def _sentence(fault: ErrorDetails) -> str:
    place = ".".join(str(part) for part in _keys(fault["loc"])) or "the registry"
    return f"{place} {words_of(fault)}"


def words_of(fault: ErrorDetails) -> str:
    """Return what is said of a fault behind the name of its place: `must be a whole number`."""
    ours = _OUR_WORDS.get(fault["type"])
    if ours is not None:
        return ours.format(**fault.get("ctx", {}))
    return fault["msg"].removeprefix("Value error, ")


def _registry(model: RegistryModel) -> Registry:
    jumps = {jump.name: _reach(jump) for jump in model.jumps}
    hosts = tuple(_host(host, tuple(jumps[name] for name in host.jump)) for host in model.hosts)
    return Registry(hosts, _policy(model.access))


def _policy(access: AccessModel) -> Policy:
    return Policy(
        members={role: frozenset(members) for role, members in access.roles.items()},
        grants=tuple(
            Grant(one.role, frozenset(one.may), frozenset(one.host_groups)) for one in access.grants
        ),
        persons={account: person for person, accounts in access.persons.items() for account in accounts},
    )


def _host(model: HostModel, jumps: tuple[Reach, ...]) -> Host:
    return Host(
        name=model.name,
        group=model.group,
        is_production=model.production,
        owner=model.owner,
        expires=model.expires,
        transport=model.transport,
        route=(*jumps, _reach(model.ssh)) if model.ssh is not None else (),
        key_file=model.key_file,
        certificate_file=model.certificate_file,
        helper=model.helper,
        servers=tuple(_server(server) for server in model.servers),
    )


def _reach(model: ReachModel) -> Reach:
    return Reach(
        address=model.address,
        port=model.port,
        user=model.user,
        host_keys=model.host_keys,
        host_authorities=model.host_authorities,
        certified_name=model.certified_name or "",
        special_addresses=frozenset(model.special_addresses),
    )


def _server(model: ServerModel) -> Server:
    return Server(
        name=model.name,
        driver=model.driver,
        port=model.port,
        model=model.model,
        gpus=model.gpus,
        vllm_version=model.vllm_version,
        gpu_name=model.gpu_name,
        expected_start_seconds=model.expected_start_seconds,
        probe=model.probe,
        operations=frozenset(model.operations),
        approvers=frozenset(model.approvers),
        approvals_needed=model.approvals_needed,
        requester_may_approve=model.requester_may_approve,
        channels=frozenset(model.channels),
        maintenance=tuple(
            Window(frozenset(one.days), one.begins, one.ends, one.timezone) for one in model.maintenance
        ),
        relaunches_per_hour=model.relaunches_per_hour,
    )
