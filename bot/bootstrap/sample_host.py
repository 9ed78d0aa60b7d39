"""The demonstration's GPU host: this machine, with a stand-in for vLLM that has just died of FlashInfer. Not a GPU.

The real helper runs it with its process driver, so that everything but the GPU is as it is in earnest: plan, approval,
stop, start, proof. It needs what Linux tells of processes; elsewhere the demonstration only diagnoses.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import adapters.hosts
from adapters.hosts.records import LaunchChange, Order
from bot.bootstrap.hosts import open_host
from bot.hosts.reading import read_registry
from bot.settings import RelaunchSettings

if TYPE_CHECKING:
    from adapters.chat.interface import Person

SERVER: Final = "qwen3-vl"
HOST: Final = "sample-gpu-1"
#: the model of the sample incident
MODEL: Final = "Qwen/Qwen3-VL-8B-Instruct"
_BACKEND: Final = "VLLM_ATTENTION_BACKEND"
_HOSTS: Final = Path(adapters.hosts.__file__).parent
#: what dies may have started something a moment before, and what changes its program shows no words meanwhile
_ROUNDS: Final = 40
_QUIET_ROUNDS: Final = 3
_BETWEEN_ROUNDS_S: Final = 0.02
#: between two stages of the stand-in's start: long enough to watch, short enough not to wait
_STAGE_S: Final = 0.4


def can_have_one() -> bool:
    """Tell whether this machine can play a host."""
    return sys.platform == "linux"


def write_sample(folder: Path, person: Person, room: str) -> RelaunchSettings:
    """Write the host's own list and the registry into a folder; returns settings that lead there."""
    port = _free_port()
    helper = folder / "helper.json"
    helper.write_text(json.dumps(_list(folder, port)), encoding="utf-8")
    registry = folder / "hosts.yaml"
    registry.write_text(json.dumps(_registry(helper, port, person, room)), encoding="utf-8")
    return RelaunchSettings(registry=registry, dry_run=False, soak_seconds=2)


async def let_it_fail(settings: RelaunchSettings) -> None:
    """Start the server as it is registered: it dies of its backend, as the sample incident tells."""
    assert settings.registry is not None  # noqa: S101 (`write_sample` names it)
    found = read_registry(settings.registry).find(SERVER)
    assert found is not None  # noqa: S101 (as above)
    host = open_host(found[0])
    order, nothing = Order(SERVER, "sample:start", 1), LaunchChange()
    planned = await host.preflight(order, nothing)
    await host.start(order, nothing, planned.after.spec_hash, 24 * 3600.0)
    await host.close()


def end_it(folder: Path) -> None:
    """End whatever of the sample still runs: what names the folder, and all in the sessions of those."""
    quiet = 0
    for _ in range(_ROUNDS):
        quiet = 0 if _kill_round(str(folder).encode()) else quiet + 1
        if quiet == _QUIET_ROUNDS:
            return
        time.sleep(_BETWEEN_ROUNDS_S)


def _kill_round(mark: bytes) -> bool:
    """Kill what is found; tell whether anything was, for it may have started something just before."""
    everyone = {int(entry.name): entry for entry in Path("/proc").iterdir() if entry.name.isdigit()}
    named = {pid for pid, entry in everyone.items() if _names(entry, mark)} - {os.getpid()}
    # a server's children give themselves other titles, and stay in its session
    sessions = {_session(everyone[pid]) for pid in named} - {os.getsid(0), None}
    found = named | {pid for pid, entry in everyone.items() if _session(entry) in sessions}
    for pid in found:
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    return bool(found)


def _names(entry: Path, mark: bytes) -> bool:
    # a helper that was just asked for something names its list in the environment only
    return mark in _read(entry / "cmdline") or mark in _read(entry / "environ")


def _session(entry: Path) -> int | None:
    words = _read(entry / "stat").rpartition(b")")[2].split()
    return int(words[3]) if len(words) > 3 else None


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def _list(folder: Path, port: int) -> dict[str, object]:
    """Return the host's own list: what the helper may touch, and which changes it takes."""
    words = [sys.executable, "-S", "-E", str(_HOSTS / "standin" / "__main__.py"), "serve", MODEL]
    flags = ["--port", str(port), f"--standin-delay={_STAGE_S}", f"--standin-ledger={folder / 'starts'}"]
    server = {
        "driver": "process",
        "port": port,
        "argv": [*words, *flags],
        # names the folder, so that whatever the server starts is found by it
        "env": {_BACKEND: "FLASHINFER", "HF_HOME": str(folder / "models")},
        "env_allowed": {_BACKEND: ["FLASH_ATTN"]},
        "flags_allowed": {"--mm-encoder-attn-backend": ["FLASH_ATTN"]},
    }
    return {"version": 1, "state_dir": str(folder / "host"), "servers": {SERVER: server}}


def _registry(helper: Path, port: int, person: Person, room: str) -> dict[str, object]:
    command = ["env", f"VLLM_DIAGNOSE_HELPER_CONFIG={helper}", sys.executable, "-I", "-S"]
    command += [str(_HOSTS / "helper" / "__main__.py"), "serve-request"]
    server = {
        "name": SERVER,
        "driver": "process",
        "port": port,
        "model": MODEL,
        "vllm_version": "0.11.2",
        "gpu_name": "H100",
        "expected_start_seconds": 10,
        "probe": "vision",
        "operations": ["relaunch", "fetch", "sweep"],
        "approvers": ["everybody"],
        "requester_may_approve": True,
        "channels": [f"console:{room}"],
        "relaunches_per_hour": 20,
    }
    acts = ["view", "request", "approve", "reject", "cancel", "force", "fetch", "sweep", "unlock", "switch"]
    host = {"name": HOST, "group": "sample", "owner": "nobody", "transport": "local", "helper": command}
    return {
        "version": 1,
        "access": {
            "roles": {"everybody": [person.id]},
            "grants": [{"role": "everybody", "may": acts, "host_groups": ["sample"]}],
        },
        "hosts": [{**host, "servers": [server]}],
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
