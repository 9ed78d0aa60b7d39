"""One server of the list with all that an act needs to know of it. Not for any act."""

from __future__ import annotations

import os
import stat
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable

from ..drivers.choosing import driver_of
from ..launch.change import Change, applied, applied_late
from ..redaction import Masker
from ..refusal import UNABLE, Refusal
from ..state import outcomes
from ..state.folder import Folder
from ..state.lock import locked
from ..state.record import Record, read_record

if TYPE_CHECKING:
    from pathlib import Path

    from ..drivers.interface import Driver
    from ..host.allowlist import Allowlist
    from ..host.server import Server
    from ..launch.spec import Spec
    from ..request.orders import Order

#: how long another helper may hold a server before we give up, and how long the same order may
_WAIT_SECONDS = 10.0
_SAME_KEY_WAIT_SECONDS = 180.0


@dataclass(frozen=True)
class Work:
    """A server, where its state is, and how it runs."""

    allowlist: Allowlist
    server: Server
    folder: Folder
    driver: Driver

    def record(self) -> Record:
        """Return what is known of it."""
        return read_record(self.folder)

    def registered(self, record: Record) -> tuple[Spec, str]:
        """Return the launch that holds apart from an open run, and the hash of the host's own one under it.

        What a run has kept holds as long as the host's own launch is the one that it was made from.
        """
        base = self.driver.registered()
        base_hash = base.hash
        for name in ("previous", "current") if record.is_open else ("current",):
            if self.folder.base_hash(name) == base_hash:
                spec = self.folder.launch(name)
                if spec is not None:
                    return spec, base_hash
        return base, base_hash

    def changed(self, spec: Spec, change: Change) -> Spec:
        """Return a launch with a change, which a wrapper script carries to where it starts vLLM."""
        is_late = self.driver.script(spec) is not None
        return applied_late(spec, change) if is_late else applied(spec, change)

    def masker(self, *specs: Spec) -> Masker:
        """Return what masks every text about this server, with the secrets of its launches known by value."""
        kept = [
            self.folder.launch("current"),
            self.folder.launch("previous"),
            self.driver.registered(),
            *specs,
        ]
        return Masker([spec for spec in kept if spec is not None], frozenset(self.server.env_allowed))


def open_work(allowlist: Allowlist, name: str) -> Work:
    """Return a server of the list with its state folder made."""
    server = allowlist.server(name)
    if not allowlist.state_dir.exists():
        allowlist.state_dir.mkdir(parents=True, exist_ok=True)
        # whatever the umask: users that servers run as read the launcher's module in it, and no more
        allowlist.state_dir.chmod(0o755)
    _check_state(allowlist.state_dir)
    folder = Folder(allowlist.state_dir / name)
    folder.make()
    return Work(allowlist, server, folder, driver_of(server, folder))


def _check_state(path: Path) -> None:
    """Refuse a folder in which others could lay out a launch of their own, or links to files of ours."""
    found = path.stat()
    if found.st_uid not in (0, os.geteuid()) or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise Refusal(
            UNABLE,
            "others than root can write the state folder %s, so it is not trusted" % path,
            "chown root %s; chmod 0755 %s" % (path, path),
        )


def once(work: Work, verb: str, order: Order, act: Callable[[Record], dict[str, Any]]) -> dict[str, Any]:
    """Do what an order asks, one helper at a time; asked again, answer as the first time."""
    is_same = work.record().key == order.key
    with locked(work.folder.lock, _SAME_KEY_WAIT_SECONDS if is_same else _WAIT_SECONDS):
        record = work.record()
        record.check_fence(order)
        done = outcomes.find(work.folder, verb, order.key)
        if done is None:
            done = act(record)
            outcomes.add(work.folder, verb, order.key, done)
        return done


def now() -> float:
    """Return the seconds since 1970, for people who read the state."""
    return round(time.time(), 3)
