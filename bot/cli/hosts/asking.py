"""Asks for a host and its first server, each answer checked when it is given. Not for writing the entry."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from bot.hosts.registry import DriverKind, Registry
from bot.hosts.schema import HostModel, ReachModel, ServerModel
from bot.hosts.typed import read_typed
from rules.engine.versions import parse_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_HELPER: Final = "python3 /usr/local/lib/vllm-diagnose/helper.pyz serve-request"
_YES_OR_NO: Final = {"y": True, "yes": True, "n": False, "no": False}


def ask_for_entry(registry: Registry) -> dict[str, Any]:
    """Ask at the terminal, and return the entry as it will stand in the file, beside those of a registry."""
    typer.echo(
        "A GPU host and its first server. Nothing is connected to. Ctrl+C leaves everything as it is.",
        err=True,
    )
    host = _Reader(HostModel)
    entry: dict[str, Any] = {
        "name": _ask("Name of the host", host.name("host", [one.name for one in registry.hosts])),
        "group": _ask("Group that roles are granted on", host.value("group"), "lab"),
        "production": _ask_whether("Is it production (a second approver, or one signed in)?"),
        "owner": _ask("Who answers for it", host.value("owner")),
    }
    if _ask_whether("Is it this very machine?"):
        entry["transport"] = "local"
        entry["helper"] = _ask("The helper's command", _command, _HELPER)
    else:
        entry["ssh"] = _ask_for_reach()
        entry["key_file"] = _ask("File with our private key", _whole_path, "/etc/vllm-diagnose/id_ed25519")
    entry["servers"] = [_ask_for_server([one.name for _, one in registry.servers()])]
    return entry


def _ask_for_reach() -> dict[str, Any]:
    reach = _Reader(ReachModel)
    key = "Its public host key (on the host: cat /etc/ssh/ssh_host_ed25519_key.pub)"
    return {
        "address": _ask("Host name or IP address", reach.value("address")),
        "port": _ask("SSH port", reach.value("port"), "22"),
        "user": _ask("Account with the forced command", reach.value("user"), "vllm-diagnose"),
        "host_keys": [_ask(key, lambda typed: read_typed(ReachModel, "host_keys", (typed,))[0])],
    }


def _ask_for_server(taken: Iterable[str]) -> dict[str, Any]:
    server = _Reader(ServerModel)
    drivers = ", ".join(DriverKind)
    entry: dict[str, Any] = {
        "name": _ask("Name of the server, as on the host's own list", server.name("server", taken)),
        "driver": _ask(f"Driver ({drivers})", server.value("driver"), DriverKind.SYSTEMD.value).value,
        "port": _ask("Port", server.value("port"), "8000"),
        "model": _ask("Served model name", server.value("model")),
    }
    release = _ask("vLLM release it runs (none: the host says it where it can)", _release, "none")
    if release is not None:
        entry["vllm_version"] = release
    entry["expected_start_seconds"] = _ask(
        "Seconds that a start takes", server.value("expected_start_seconds"), "240"
    )
    entry["operations"] = ["relaunch", "fetch"] if _ask_whether("May it be relaunched?") else []
    return entry


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads answers as the registry reads the keys of one of its parts."""

    model: type[HostModel | ReachModel | ServerModel]

    def value(self, key: str) -> Callable[[str], Any]:
        return lambda typed: read_typed(self.model, key, typed)

    def name(self, what: str, taken: Iterable[str]) -> Callable[[str], Any]:
        def read(typed: str) -> Any:  # noqa: ANN401 (as the file holds it)
            if typed in taken:
                raise ValueError(f"is the name of another {what}: names are unique in the whole file")
            return read_typed(self.model, "name", typed)

        return read


def _command(typed: str) -> list[str]:
    try:
        words = shlex.split(typed)
    except ValueError as error:
        raise ValueError("must be a command, and a quote in it is not closed") from error
    return list(read_typed(HostModel, "helper", words))


def _whole_path(typed: str) -> str:
    if not Path(typed).is_absolute():
        raise ValueError("must be the whole path, from /")
    return typed


def _release(typed: str) -> str | None:
    if typed == "none":
        return None
    if parse_version(typed) is None:
        raise ValueError("must be a release such as 0.11.2, or none")
    return str(read_typed(ServerModel, "vllm_version", typed))


def _ask_whether(question: str) -> bool:
    return bool(_ask(f"{question} (y or n)", _yes_or_no, "n"))


def _yes_or_no(typed: str) -> bool:
    if typed.lower() not in _YES_OR_NO:
        raise ValueError("must be y or n")
    return _YES_OR_NO[typed.lower()]


def _ask(question: str, read: Callable[[str], Any], default: str = "") -> Any:  # noqa: ANN401 (as the file holds it)
    """Ask until the answer can be read, and say each time why it cannot."""
    while True:
        typed = typer.prompt(question, default=default, show_default=bool(default), err=True).strip()
        try:
            if not typed:
                raise ValueError("must not be empty")  # noqa: TRY301 (told like every other fault)
            return read(typed)
        except ValueError as error:
            typer.echo(f"It {error}.", err=True)
