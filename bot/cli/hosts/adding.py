"""Asks for a host and its first server, and writes the entry into the registry. Not for checking entries."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer
import yaml

from bot.cli.exits import CommandError, ExitCode
from bot.hosts.reading import BadRegistryError, read_registry
from bot.hosts.registry import DriverKind

if TYPE_CHECKING:
    from collections.abc import Callable

_NEW_FILE: Final = """\
# Reviewed by people: who may act on which machine. See docs/how-to/register-gpu-hosts.md.
version: 1
access:
  persons: {}
  roles: {}
  grants: []
hosts:
"""


def ask_for_entry() -> dict[str, Any]:
    """Ask at the terminal, and return the entry as it will stand in the file."""
    typer.echo(
        "A GPU host and its first server. Nothing is connected to. Ctrl+C leaves everything as it is.",
        err=True,
    )
    name = _ask("Name of the host")
    entry: dict[str, Any] = {
        "name": name,
        "group": _ask("Group that roles are granted on", "lab"),
        "production": typer.confirm(
            "Is it production (a second approver, or one signed in)?", default=False, err=True
        ),
        "owner": _ask("Who answers for it"),
    }
    if typer.confirm("Is it this very machine?", default=False, err=True):
        entry["transport"] = "local"
        entry["helper"] = _ask(
            "The helper's command", "python3 /opt/vllm-diagnose/helper.pyz serve-request"
        ).split()
    else:
        entry["ssh"] = {
            "address": _ask("Host name or IP address"),
            "port": _ask("SSH port", "22", int),
            "user": _ask("Account with the forced command", "vllm-diagnose"),
            "host_keys": [_ask("Its public host key (on the host: cat /etc/ssh/ssh_host_ed25519_key.pub)")],
        }
        entry["key_file"] = _ask("File with our private key", "/etc/vllm-diagnose/id_ed25519")
    entry["servers"] = [_ask_for_server()]
    return entry


def _ask_for_server() -> dict[str, Any]:
    return {
        "name": _ask("Name of the server, as on the host's own list"),
        "driver": _ask(f"Driver ({', '.join(DriverKind)})", DriverKind.SYSTEMD.value),
        "port": _ask("Port", "8000", int),
        "model": _ask("Served model name"),
        "expected_start_seconds": _ask("Seconds that a start takes", "240", int),
        "operations": ["relaunch", "fetch"]
        if typer.confirm("May it be relaunched?", default=False, err=True)
        else [],
    }


def _ask(question: str, default: str | None = None, kind: Callable[[str], Any] = str) -> Any:  # noqa: ANN401 (as the file holds it)
    return kind(typer.prompt(question, default=default, err=True))


def add_entry(file: Path, entry: dict[str, Any]) -> None:
    """Put an entry at the end of the registry, which is made when it is missing; all or nothing.

    Raises `CommandError` when the registry with it would not be sound.
    """
    text = file.read_text(encoding="utf-8") if file.exists() else _NEW_FILE
    _check_end(file, text)
    block = yaml.safe_dump([entry], sort_keys=False, allow_unicode=True, width=1_000)
    added = "".join(f"  {line}\n" for line in block.splitlines())
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent, text=True)
    draft = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text.rstrip("\n") + "\n" + added)
            out.flush()
            os.fsync(out.fileno())
        draft.chmod(file.stat().st_mode & 0o777 if file.exists() else 0o640)
        _check_draft(draft)
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


def _check_end(file: Path, text: str) -> None:
    """Refuse a file whose last part is not the list of hosts: the entry would land somewhere else."""
    try:
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise CommandError(
            f"{file} is not YAML", "`vllm-diagnose hosts check` shows where", ExitCode.UNUSABLE_INPUT
        ) from error
    last = [line for line in text.splitlines() if line and line[0] not in " #-\t"]
    if (
        not isinstance(data, dict)
        or not last
        or not last[-1].startswith("hosts:")
        or last[-1].partition("#")[0].rstrip() != "hosts:"
    ):
        raise CommandError(
            f"{file} does not end with its list of hosts",
            "move `hosts:` to the end of the file, one entry per `- name:`",
            ExitCode.UNUSABLE_INPUT,
        )


def _check_draft(draft: Path) -> None:
    try:
        read_registry(draft)
    except BadRegistryError as error:
        what = error.faults[0].partition(f"{draft}:")[2].partition(": ")[2]
        raise CommandError(
            f"the entry is not sound: {what}", "nothing was written", ExitCode.UNUSABLE_INPUT
        ) from error
