"""What the matrix asks of a host, whatever drives the server there. Not tests."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

from adapters.hosts.interface import Host
from bot.bootstrap.hosts import open_host
from bot.hosts.registry import Host as RegisteredHost
from bot.hosts.registry import Registry
from tests.bot.relaunch.team import a_policy
from tests.crash.relaunch.distant import DistantHost
from tests.crash.relaunch.door import Door


@dataclass(frozen=True)
class Way:
    """How a bot gets to a host; travels to its process."""

    host: RegisteredHost
    #: of a host in memory
    socket: str = ""
    #: the longest that a bot waits between two looks
    longest_pause_s: float = 0.2

    def open(self) -> Host:
        """Return what does our verbs."""
        return DistantHost(self.socket) if self.socket else open_host(self.host)

    @property
    def registry(self) -> Registry:
        """A registry with nothing else."""
        return Registry((self.host,), a_policy())

    @property
    def server(self) -> str:
        """The one server there."""
        return self.host.servers[0].name


@dataclass(frozen=True)
class Seen:
    """What really happened to a server since it was made anew, told by the host and never by the bot."""

    #: how often it was stopped, started with the change, kept, and started as before, by verb
    effects: Counter = field(default_factory=Counter)
    #: each server that lives: whether it runs without what made it fail
    running: tuple[bool, ...] = ()
    #: what should not be there
    left: tuple[str, ...] = ()


class Ground(Protocol):
    """One host with one server that fails as it is registered."""

    name: str
    door: Door
    way: Way
    #: a helper of its own carries out each request, and can die of it
    has_helper: bool

    async def renew(self, fence: int, *, lies: bool) -> None:
        """Make everything as if the server had just failed; if it lies, its mended launch proves nothing."""

    async def seen(self, relaunch_id: str) -> Seen:
        """Look at what happened, once nothing is about to happen any more."""

    def cut(self, *, silently: bool = False) -> None:
        """Let nothing through to the host or back; silently: nothing tells that, but that nothing comes."""

    def heal(self) -> None:
        """End that."""
