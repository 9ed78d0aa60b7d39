"""What goes to a host and comes back from it, as records. Not for the verbs, nor for how they travel.

Nothing secret leaves a host: values of variables that are not on its allow-list, and texts of logs, come masked.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 (the records are checked against their types when they arrive)
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

_EMPTY: Mapping[str, str] = MappingProxyType({})


class RunState(StrEnum):
    """Whether a server's process runs. Not whether it serves: only a probe tells that."""

    RUNNING = "running"
    #: it ended, whoever ended it
    EXITED = "exited"
    #: never started, or nothing is left of it
    ABSENT = "absent"
    #: the host could not tell
    UNKNOWN = "unknown"


class Phase(StrEnum):
    """How far the order that the host took last has come."""

    IDLE = "idle"
    STOPPING = "stopping"
    STOPPED = "stopped"
    STARTING = "starting"
    STARTED = "started"
    RESTORING = "restoring"
    RESTORED = "restored"
    COMMITTED = "committed"


class ProbeKind(StrEnum):
    """What is asked of a running server over its own port."""

    HEALTH = "health"
    MODELS = "models"
    #: one real completion of a few tokens
    TEXT = "text"
    #: one real completion about a small image
    IMAGE = "image"


@dataclass(frozen=True, slots=True)
class LaunchChange:
    """A typed change of a launch. Values are strings; a flag without a value has an empty one."""

    #: variables to really remove, wherever they were set
    env_unset: tuple[str, ...] = ()
    env_set: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    #: by their long name with dashes (`--attention-backend`)
    flags_set: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    flags_unset: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Order:
    """Who asks for an act, and which run it belongs to."""

    server: str
    #: the relaunch and its step; the same act has the same key for ever
    key: str
    #: number of the run on this host; only grows
    fence: int


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU as the driver's own tool tells it."""

    uuid: str
    name: str
    memory_total_mib: int
    memory_free_mib: int
    compute_capability: str | None = None


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that holds a port or a GPU."""

    pid: int
    #: name of the program, masked
    name: str
    #: whether it belongs to the server that was asked about
    is_ours: bool


@dataclass(frozen=True, slots=True)
class HostFacts:
    """What is true of a machine."""

    helper_version: str
    hostname: str
    boot_id: str
    python: str
    #: names of servers on the host's own allow-list
    servers: tuple[str, ...]
    #: None: the driver's tool is missing or did not answer, which is not the same as no GPU
    gpus: tuple[Gpu, ...] | None
    #: installed release per server whose interpreter could be asked
    vllm_versions: Mapping[str, str] = field(default_factory=lambda: _EMPTY)


@dataclass(frozen=True, slots=True)
class Launch:
    """A command and its environment, masked for whoever looks."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    #: SHA-256 over the unmasked launch, hexadecimal
    spec_hash: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A server as it is registered and as it runs."""

    server: str
    driver: str
    state: RunState
    launch: Launch
    generation: int
    fence: int
    phase: Phase
    #: key of the order that the host took last
    key: str | None
    #: identity of the present start; None when nothing runs
    start_id: str | None
    pid: int | None
    port: int


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at before an act."""

    name: str
    is_sound: bool
    #: one sentence
    detail: str


@dataclass(frozen=True, slots=True)
class Preflight:
    """Whether a change could be made, and the launch it would give. Nothing was changed."""

    checks: tuple[Check, ...]
    before: Launch
    after: Launch

    @property
    def is_sound(self) -> bool:
        """Tell whether nothing speaks against it."""
        return all(check.is_sound for check in self.checks)


@dataclass(frozen=True, slots=True)
class Stopped:
    """A server is down with all it started."""

    #: it had to be killed, because the polite signal was not obeyed in time
    was_killed: bool
    #: processes of this server that had lost their parent and were ended too
    orphans: tuple[Holder, ...]
    #: processes that hold its port or GPUs and are not ours; left alone
    foreign: tuple[Holder, ...]
    port_is_free: bool
    #: None: the driver's tool did not answer
    gpus_are_free: bool | None


@dataclass(frozen=True, slots=True)
class Started:
    """A start was made; whether it comes up is another question."""

    start_id: str
    generation: int
    pid: int | None
    spec_hash: str
    #: seconds until the host restores the previous launch by itself; None: nothing of the kind is armed
    restores_in_seconds: float | None


@dataclass(frozen=True, slots=True)
class LogPart:
    """A piece of the log of one start, masked."""

    start_id: str | None
    #: where to go on reading, in bytes from the beginning of this start
    next_offset: int
    text: str
    #: bytes that were left out before this piece
    skipped_bytes: int = 0


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """A server at one moment."""

    state: RunState
    phase: Phase
    fence: int
    generation: int
    key: str | None
    start_id: str | None
    pid: int | None
    #: times that the host restarted it by itself since this start
    restarts: int
    #: code of the last end, negative for a signal; None while it runs
    exit_code: int | None
    #: what the running process really has: SHA-256 over argv and environment; None when it cannot be read
    running_spec_hash: str | None
    #: CPU seconds used by all processes of the server; grows while it loads
    cpu_seconds: float
    port_is_open: bool
    log: LogPart
    restores_in_seconds: float | None = None
    #: argv and environment of the running process, masked; None when they cannot be read
    running: Launch | None = None


@dataclass(frozen=True, slots=True)
class ProbeAnswer:
    """What a server answered over its own port."""

    kind: ProbeKind
    #: HTTP status; None: no answer
    status: int | None
    #: at most 64 KiB, masked
    body: str
    seconds: float
    #: why there was no answer, or why the one that came proves nothing; empty for a whole one
    trouble: str = ""
    #: as the server tells it; empty: it does not, or the helper is of an older release
    content_type: str = ""
    #: the text that it was asked; empty for what is not asked in words
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Probed:
    """What a server answered to all that it was asked at once."""

    answers: tuple[ProbeAnswer, ...]
