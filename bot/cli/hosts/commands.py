"""`vllm-diagnose hosts`: lists, checks, adds and looks at GPU hosts. Changes nothing on any of them."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.exits import CommandError, ExitCode
from bot.cli.hosts.loading import (
    RegistryOption,
    chosen_host,
    existing_registry_file,
    load_registry,
    registry_file,
)
from bot.cli.terminal import counted, write_json, write_line

if TYPE_CHECKING:
    from adapters.hosts.records import HostFacts, Snapshot
    from bot.hosts.registry import Host, Registry

app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="The registry of GPU hosts and their servers.\n\nFor example: vllm-diagnose hosts check",
)
JsonOption = Annotated[bool, typer.Option("--json", help="JSON instead of lines.")]


@app.command("list")
def list_hosts(*, registry: RegistryOption = None, as_json: JsonOption = False) -> int:
    """List hosts and servers.

    For example: vllm-diagnose hosts list
    """
    read = load_registry(registry)
    if as_json:
        write_json([_plain(host) for host in read.hosts])
        return int(ExitCode.SOUND)
    for host in read.hosts:
        kind = "production" if host.is_production else "not production"
        until = f", until {host.expires}" if host.expires else ""
        write_line(f"{host.name}: group {host.group}, {kind}, {host.transport}, {host.owner}{until}")
        for server in host.servers:
            may = ", ".join(sorted(server.operations)) or "diagnosis only"
            write_line(f"  {server.name}: {server.model} on port {server.port}, {server.driver}, {may}")
    if not read.hosts:
        write_line("the registry has no host: `vllm-diagnose hosts add` makes the first entry")
    return int(ExitCode.SOUND)


@app.command("check")
def check(
    name: Annotated[str | None, typer.Argument(help="One host; otherwise all.")] = None,
    *,
    registry: RegistryOption = None,
    as_json: JsonOption = False,
) -> int:
    """Check the registry, its files and addresses; connects to nothing. Ends with 1 when something is wrong.

    For example: vllm-diagnose hosts check gpu1
    """
    from bot.hosts.reading import BadRegistryError, read_registry  # noqa: PLC0415 (slow to import)

    file = existing_registry_file(registry)
    try:
        read = read_registry(file)
    except BadRegistryError as error:
        return _tell_faults({str(file): list(error.faults)}, as_json=as_json)
    hosts = read.hosts if name is None else (chosen_host(read, name),)
    return _tell_faults(asyncio.run(_examine(hosts, read)), as_json=as_json)


@app.command("add")
def add(*, registry: RegistryOption = None) -> int:
    """Ask for a host and its first server, and write the entry at the end of the registry.

    For example: vllm-diagnose hosts add --registry hosts.yaml
    """
    from bot.cli.hosts.adding import add_entry, registry_to_add_to  # noqa: PLC0415 (slow to import)
    from bot.cli.hosts.asking import ask_for_entry  # noqa: PLC0415

    file = registry_file(registry)
    entry = ask_for_entry(registry_to_add_to(file))
    try:
        add_entry(file, entry)
    except OSError as error:
        raise CommandError(f"{file} cannot be written: {error.strerror}", "", ExitCode.NOT_ALLOWED) from error
    write_line(
        f"{entry['name']} is in {file}; give people roles there, then `vllm-diagnose hosts probe {entry['name']}`"
    )
    return int(ExitCode.SOUND)


@app.command("probe")
def probe(
    name: Annotated[str, typer.Argument(help="The host.")],
    *,
    registry: RegistryOption = None,
    as_json: JsonOption = False,
) -> int:
    """Connect to a host and show what its helper says; changes nothing there.

    For example: vllm-diagnose hosts probe gpu1
    """
    from adapters.hosts.errors import HostError  # noqa: PLC0415 (slow to import)

    host = chosen_host(load_registry(registry), name)
    try:
        facts, servers = asyncio.run(_look(host))
    except HostError as error:
        raise CommandError(str(error), "", ExitCode.UNREACHABLE) from error
    if as_json:
        write_json({"facts": asdict(facts), "servers": [_seen(one) for one in servers]})
        return int(ExitCode.SOUND)
    gpus = "GPUs unknown (no nvidia-smi)" if facts.gpus is None else counted(len(facts.gpus), "GPU")
    write_line(f"{name}: {facts.hostname}, helper {facts.helper_version}, Python {facts.python}, {gpus}")
    for gpu in facts.gpus or ():
        write_line(f"  {gpu.name}: {gpu.memory_free_mib} of {gpu.memory_total_mib} MiB free")
    for one in servers:
        write_line(f"  {one.server}: {one.state}, {one.driver}, port {one.port}, {one.phase}")
    return int(ExitCode.SOUND)


@app.command("helper")
def helper(
    file: Annotated[Path, typer.Argument(help="Where to write it.")] = Path("helper.pyz"),
) -> int:
    """Write the helper for GPU hosts: one file for their own Python, the same bytes every time; prints its SHA-256.

    For example: vllm-diagnose hosts helper helper.pyz
    """
    from bot.bootstrap.hosts import write_helper  # noqa: PLC0415 (slow to import)

    try:
        digest = write_helper(file)
    except OSError as error:
        raise CommandError(
            f"{file} cannot be written: {error.strerror}", "", ExitCode.CANNOT_WRITE
        ) from error
    write_line(f"{digest}  {file}")
    return int(ExitCode.SOUND)


async def _examine(hosts: "tuple[Host, ...]", registry: "Registry") -> dict[str, list[str]]:
    from bot.clock import system_clock  # noqa: PLC0415
    from bot.hosts.checking import faults_of  # noqa: PLC0415 (slow to import)

    today = system_clock().date()
    return {host.name: await faults_of(host, registry, today) for host in hosts}


async def _look(host: "Host") -> "tuple[HostFacts, list[Snapshot]]":
    from bot.bootstrap.hosts import open_host  # noqa: PLC0415 (slow to import)

    reached = open_host(host)
    try:
        facts = await reached.facts()
        return facts, [await reached.snapshot(server.name) for server in host.servers]
    finally:
        await reached.close()


def _tell_faults(found: dict[str, list[str]], *, as_json: bool) -> int:
    is_sound = not any(found.values())
    if as_json:
        write_json({"schema": 1, "ok": is_sound, "hosts": found})
    else:
        for name, faults in found.items():
            for fault in faults:
                write_line(fault if fault.startswith(f"{name}:") else f"{name}: {fault}")
            if not faults:
                write_line(f"{name}: ok")
    return int(ExitCode.SOUND if is_sound else ExitCode.FAULTS)


def _plain(host: "Host") -> dict[str, Any]:
    return {
        "name": host.name,
        "group": host.group,
        "production": host.is_production,
        "owner": host.owner,
        "expires": host.expires.isoformat() if host.expires else None,
        "transport": host.transport,
        "servers": [
            {
                "name": one.name,
                "driver": one.driver,
                "port": one.port,
                "model": one.model,
                "operations": sorted(one.operations),
            }
            for one in host.servers
        ],
    }


def _seen(snapshot: "Snapshot") -> dict[str, Any]:
    return {
        "server": snapshot.server,
        "driver": snapshot.driver,
        "state": snapshot.state,
        "phase": snapshot.phase,
        "port": snapshot.port,
        "argv": list(snapshot.launch.argv),
        "env": dict(snapshot.launch.env),
    }
