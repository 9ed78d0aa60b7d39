"""The folder of one server's state: where each file is, and the launches in them. Not for orders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..launch.spec import Spec
from .files import read_json, remove, write_json

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Folder:
    """State of one server. Open to its owner alone, for launches carry secrets."""

    path: Path

    def make(self) -> None:
        """Create what is not there."""
        for path in (self.path, self.logs, self.starts):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.chmod(0o700)

    @property
    def logs(self) -> Path:
        """Return where the logs of starts are, `START_ID.log` each."""
        return self.path / "log"

    @property
    def starts(self) -> Path:
        """Return where drivers keep what they know of each start, `START_ID.json`, and the claims."""
        return self.path / "starts"

    @property
    def intent(self) -> Path:
        """Return the file with the last order and how far it has come."""
        return self.path / "intent.json"

    @property
    def outcomes(self) -> Path:
        """Return the file with the answers to the last orders."""
        return self.path / "outcomes.json"

    @property
    def deadman(self) -> Path:
        """Return the file that says when the previous launch comes back."""
        return self.path / "deadman.json"

    @property
    def lock(self) -> Path:
        """Return the file that the helper at work locks."""
        return self.path / "lock"

    @property
    def watch_lock(self) -> Path:
        """Return the file that the watcher of the timer locks."""
        return self.path / "deadman.lock"

    def log_of(self, start_id: str) -> Path:
        """Return the log of one start."""
        return self.logs / (start_id + ".log")

    def start_record(self, start_id: str) -> Path:
        """Return the file in which the driver keeps what it knows of one start."""
        return self.starts / (start_id + ".json")

    def write_launch(self, name: str, spec: Spec, base_hash: str) -> None:
        """Write `current` or `previous`. `base_hash` is of the host's own launch that it was made from."""
        write_json(self.path / (name + ".json"), dict(spec.as_json(), base_hash=base_hash))

    def drop_previous(self) -> None:
        """Forget the way back."""
        remove(self.path / "previous.json")

    def start_order(self, start_id: str) -> Path:
        """Return the file in which a driver tells its supervisor what to start."""
        return self.starts / (start_id + ".order.json")

    def base_hash(self, name: str) -> str | None:
        """Return the hash of the host's own launch that `current` or `previous` was made from."""
        body = read_json(self.path / (name + ".json"))
        return None if body is None else body["base_hash"]

    def launch(self, name: str) -> Spec | None:
        """Return a launch: `current`, that a start takes, or `previous`, that comes back should the run fail."""
        body = read_json(self.path / (name + ".json"))
        return None if body is None else Spec(tuple(body["argv"]), dict(body["env"]))
