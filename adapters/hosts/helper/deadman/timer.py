"""When the previous launch comes back by itself, and that something waits for it. Not for bringing it back."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

from .. import program
from ..processes import proc
from ..processes.detaching import spawn_detached
from ..refusal import UNABLE, Refusal
from ..state.files import read_json, remove, write_json
from ..state.lock import is_locked

if TYPE_CHECKING:
    from ..state.folder import Folder

_SECONDS = 10.0
_POLL_SECONDS = 0.01


def clock() -> float:
    """Return seconds since the machine started, also those that it slept."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def arm(folder: Folder, allowlist: Path, fence: int, key: str, seconds: float) -> None:
    """Let the previous launch come back after a time; replaces what was armed before."""
    unit = "relaunch-deadman-%s-%d-%d" % (folder.path.name, fence, int(clock() * 1000))
    body = {
        "fence": fence,
        "key": key,
        "deadline": clock() + seconds,
        "boot_id": proc.boot_id(),
        "unit": unit,
    }
    old = read_json(folder.deadman)
    write_json(folder.deadman, body)
    if _has_manager():
        argv = ["deadman", folder.path.name, key, "--config", str(allowlist)]
        if _is_started_by_manager(unit, seconds, argv):
            if old is not None:
                _take_off(str(old["unit"]))
            return
    _watch(folder, allowlist)


def disarm(folder: Folder) -> None:
    """Take the timer off: without the file whatever fires does nothing."""
    body = read_json(folder.deadman)
    if body is None:
        return
    remove(folder.deadman)
    if _has_manager():
        _take_off(str(body["unit"]))


def remaining(folder: Folder) -> float | None:
    """Return the seconds that are left; None when nothing is armed. Never less than nothing."""
    body = read_json(folder.deadman)
    if body is None or body["boot_id"] != proc.boot_id():
        return None
    return max(0.0, float(body["deadline"]) - clock())


def _watch(folder: Folder, allowlist: Path) -> None:
    """Have a watcher of our own, unless one waits already; return when it surely does."""
    if is_locked(folder.watch_lock):
        return
    spawn_detached([*program.command(), "watch", folder.path.name, "--config", str(allowlist)])
    deadline = time.monotonic() + _SECONDS
    while not is_locked(folder.watch_lock):
        if time.monotonic() > deadline:
            raise Refusal(
                UNABLE, "the timer that restores the server could not be set", "nothing was changed"
            )
        time.sleep(_POLL_SECONDS)


def _has_manager() -> bool:
    return (
        os.geteuid() == 0 and Path("/run/systemd/system").is_dir() and shutil.which("systemd-run") is not None
    )


def _is_started_by_manager(unit: str, seconds: float, words: list[str]) -> bool:
    argv = ["systemd-run", "--quiet", "--collect", "--unit=" + unit, "--on-active=%.3f" % seconds]
    argv += ["--timer-property=AccuracySec=100ms", "--", *program.command(), *words]
    return _is_done(argv)


def _take_off(unit: str) -> None:
    _is_done(["systemctl", "stop", unit + ".timer"])


def _is_done(argv: list[str]) -> bool:
    try:
        result = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return result.returncode == 0
