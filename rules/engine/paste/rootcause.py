"""Chooses the exception that started it all: the innermost cause in the process that failed first. Not for explaining it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from rules.engine.paste.evidence import EvidenceLine
from rules.engine.paste.exception_lines import find_exception_inside
from rules.engine.paste.tracebacks import Link, Raised, Traceback, read_tracebacks

#: texts that only say that something else failed; never a cause
_WRAPPERS: Final = (
    *(
        "Engine core initialization failed",
        "Engine process failed to start",
        "WorkerProc initialization failed",
    ),
    *(
        "EngineCore encountered an issue",
        "EngineCore failed to start",
        "EngineCore encountered a fatal error",
    ),
    *("Error raised in subprocess", "Background loop has errored already", "Task finished unexpectedly"),
    *(
        "Engine loop has died",
        "Engine process (pid",
        "Engine loop is not running",
        "See stack trace above",
        "See root cause above",
    ),
    *(
        "See stack trace for the root cause",
        "Worker proc ",
        "The actor died unexpectedly",
        "Got fatal signal from worker",
    ),
    *(
        "cancelled",
        "Parent process exited",
        "Engine core proc ",
        "Executor failed",
        "Cluster is shutting down",
    ),
    *("Child process died", "leaked shared_memory", "DataParallel engine core", "WorkerProc failed to start"),
    *(
        "WorkerProc hit an exception",
        "AsyncLLM output_handler failed",
        "MQLLMEngine is already dead",
        "Error executing method",
    ),
    *(
        "Exception in ASGI application",
        "Invocation of ",
        "Exception in worker",
        "Worker failed to start",
        "Error in request",
    ),
    *("An error occurred while", "Traceback", "Dumping "),
)
#: texts that name a failure although no exception does
_TELLING: Final = (
    *(
        "nvcc fatal",
        "ptxas fatal",
        ": error: ",
        "CUDA error",
        "HIP error",
        "cuda error",
        "[ERROR] ",
        "Error: ",
    ),
    *("NCCL WARN Cuda failure", "uncorrectable ECC", "NVRM: Xid", "Out of memory: Killed process"),
)
#: how a source line of a traceback begins or ends when its indentation is lost
_CODE_STARTS: Final = (
    "return ",
    "raise ",
    "self.",
    "await ",
    "with ",
    "for ",
    "if ",
    "assert ",
    "def ",
    "File ",
    "...",
    "^",
)
_CODE_ENDS: Final = ("(", ":", "=", "[", "{", "\\")
_WRAPPER_NAMES: Final = frozenset(
    {
        "EngineDeadError",
        "AsyncEngineDeadError",
        "MQEngineDeadError",
        "CalledProcessError",
        "SystemExit",
        "CancelledError",
    }
    | {
        "ActorDiedError",
        "RayActorError",
        "ChildFailedError",
        "ProcessRaisedException",
        "ProcessExitedException",
    }
)
#: what a stopped program leaves behind
_HARMLESS_NAMES: Final = frozenset({"KeyboardInterrupt"})
_HARMLESS_FILES: Final = ("resource_tracker.py", "weakref.py", '/threading.py" _shutdown')
#: exceptions that are caught on purpose to raise a clearer one
_PRECURSORS: Final = frozenset(
    {"KeyError", "JSONDecodeError", "HFValidationError", "StopIteration", "Empty", "Again", "CancelledError"}
)
_HARD_LEVELS: Final = frozenset({"ERROR", "CRITICAL"})
_SOFT_LEVELS: Final = frozenset({"WARNING", "INFO", "DEBUG"})
_STARTED: Final = ("Application startup complete", "Uvicorn running on")
#: somebody or something asked the server to stop; what a dying engine makes the server print is not among these
_STOPPED: Final = (
    *(
        "Shutting down",
        "shutdown triggered",
        "Waiting for application shutdown",
        "Received SIGTERM",
        "received signal=",
    ),
    *("Received signal", "Received shutdown", "Gracefully stopping"),
)
_REQUEST_ORIGINS: Final = (
    "serving",
    "api_server.py",
    "protocol.py",
    "preprocess",
    "chat_utils",
    "tool_parser",
    "launcher.py",
)


class Kind(StrEnum):
    """What an exception is to the failure."""

    CAUSE = "cause"
    #: a request that the server refused while it went on serving
    REQUEST = "request"
    #: it only says that something else failed
    WRAPPER = "wrapper"
    #: a record or line that names a failure although it is no exception
    RECORD = "record"
    #: caught and logged below ERROR
    HANDLED = "handled"
    #: left behind by a clean end, or ignored by Python itself
    HARMLESS = "harmless"


@dataclass(frozen=True, slots=True)
class Judged:
    """An exception and what it is to the failure."""

    raised: Raised
    kind: Kind


@dataclass(frozen=True, slots=True)
class Echo:
    """A text that repeats or follows from the cause."""

    text: str
    count: int
    #: processes that printed it, in order
    processes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CauseReading:
    """What the exceptions of a paste say together."""

    #: the innermost cause of the process that failed first; None when there is none but wrappers
    root: Raised | None
    #: every exception, in the order printed
    judged: tuple[Judged, ...] = ()
    echoes: tuple[Echo, ...] = ()
    wrappers: tuple[Raised, ...] = ()
    #: True when a traceback ends without its exception line
    cut: bool = False
    tracebacks: tuple[Traceback, ...] = ()
    #: index of the first record of level ERROR or CRITICAL before the server was told to stop
    first_error: int | None = None

    def message_lines(self) -> frozenset[int]:
        """Return the indexes of the lines that carry an exception's message."""
        found = {entry.raised.index for entry in self.judged if entry.kind is not Kind.HARMLESS}
        details = {
            entry.raised.detail_index for entry in self.judged if entry.raised.detail_index is not None
        }
        return frozenset(found | details)


def find_root_cause(lines: Sequence[EvidenceLine]) -> CauseReading:
    """Return the root cause among the lines, with its echoes and the wrappers round it."""
    tracebacks = read_tracebacks(lines)
    text = "\n".join(line.text for line in lines)
    started, stopped = _first(text, _STARTED, len(lines)), _first(text, _STOPPED, len(lines))
    judged = tuple(
        Judged(raised, _judge(raised, block, started, stopped))
        for block in tracebacks
        for raised in block.raised
    )
    if not any(entry.kind in {Kind.CAUSE, Kind.WRAPPER, Kind.REQUEST} for entry in judged):
        known = {entry.raised.index for entry in judged}
        judged = (
            *judged,
            *(entry for entry in _inside(lines, started, stopped) if entry.raised.index not in known),
        )
    root = _choose(judged, tracebacks)
    return CauseReading(
        root,
        judged,
        _echoes(judged, root),
        tuple(entry.raised for entry in judged if entry.kind is Kind.WRAPPER),
        cut=any(block.cut for block in tracebacks),
        tracebacks=tracebacks,
        first_error=next(
            (index for index, line in enumerate(lines[:stopped]) if line.level in _HARD_LEVELS), None
        ),
    )


def is_wrapper(name: str, message: str) -> bool:
    """Tell whether an exception only says that something else failed."""
    if name.rsplit(".", 1)[-1] in _WRAPPER_NAMES:
        return True
    return message.lstrip("'\"").startswith(_WRAPPERS) or "See root cause above" in message


def _first(text: str, marks: tuple[str, ...], end: int) -> int:
    """Return the index of the first line that holds one of the marks, `end` without one."""
    places = [place for place in (text.find(mark) for mark in marks) if place >= 0]
    return text.count("\n", 0, min(places)) if places else end


def _judge(raised: Raised, block: Traceback, started: int, stopped: int) -> Kind:
    if raised.ignored or (
        raised.short_name in _HARMLESS_NAMES and (not raised.message or started < raised.index)
    ):
        return Kind.HARMLESS
    if block.frames and all(any(name in frame for name in _HARMLESS_FILES) for frame in block.frames):
        return Kind.HARMLESS
    wrapper = is_wrapper(raised.name, raised.message)
    if wrapper:
        return Kind.HARMLESS if raised.index > stopped else Kind.WRAPPER
    if raised.level in _SOFT_LEVELS:
        return Kind.HANDLED
    return Kind.REQUEST if started < raised.index and _answers_requests(raised.origin) else Kind.CAUSE


def _answers_requests(origin: str | None) -> bool:
    """Tell whether a record comes from the part of the server that answers requests."""
    return any(name in (origin or "") for name in _REQUEST_ORIGINS)


def _inside(lines: Sequence[EvidenceLine], started: int, stopped: int) -> list[Judged]:
    """Return exceptions named within lines, wrappers and records of a failure; used when no line begins with one."""
    found: list[Judged] = []
    for index, line in enumerate(lines[:stopped]):
        inside = find_exception_inside(line.text)
        if inside is not None:
            kind = Kind.WRAPPER if is_wrapper(inside.name, inside.message) else Kind.CAUSE
            name, message = inside
        else:
            name, message = "", line.text.strip()
            record = _record_kind(line)
            if record is None or (started < index and _answers_requests(line.origin)):
                continue
            kind = record
        if line.level in _SOFT_LEVELS:
            kind = Kind.HANDLED
        raised = Raised(index, line.number, name, message, line.process, line.pid, line.level, line.origin)
        found.append(Judged(raised, kind))
    return found


def _record_kind(line: EvidenceLine) -> Kind | None:
    """Return what a line without any exception's name says of a failure; None when it says nothing."""
    text = line.text
    if text.startswith(_WRAPPERS):
        return Kind.WRAPPER if not text.startswith(("Traceback", "Dumping ")) else None
    if (
        not text
        or text[0].isspace()
        or text.startswith(_CODE_STARTS)
        or text.endswith(_CODE_ENDS)
        or " = " in text
    ):
        return None
    if line.level in _HARD_LEVELS or any(mark in text for mark in _TELLING):
        return Kind.RECORD
    return None


def _choose(judged: tuple[Judged, ...], tracebacks: tuple[Traceback, ...]) -> Raised | None:
    """Return the first real exception; of a chain that explains itself, the explanation."""
    for kind in (Kind.CAUSE, Kind.REQUEST, Kind.RECORD):
        first = next((entry.raised for entry in judged if entry.kind is kind), None)
        if first is not None:
            return _explained(first, tracebacks)
    return None


def _explained(first: Raised, tracebacks: tuple[Traceback, ...]) -> Raised:
    """Return what was raised to explain an exception that is caught on purpose, such as a KeyError in a table of models."""
    if first.short_name not in _PRECURSORS:
        return first
    for block in tracebacks:
        if first in block.raised:
            later = block.raised[block.raised.index(first) + 1 :]
            return next(
                (
                    raised
                    for raised in later
                    if raised.link is not Link.NONE
                    and raised.short_name not in _PRECURSORS
                    and not is_wrapper(raised.name, raised.message)
                ),
                first,
            )
    return first


def _echoes(judged: tuple[Judged, ...], root: Raised | None) -> tuple[Echo, ...]:
    """Return what else was raised, equal texts counted together."""
    counts: dict[str, list[Raised]] = {}
    for entry in judged:
        if entry.raised is not root and entry.kind in {Kind.CAUSE, Kind.REQUEST}:
            counts.setdefault(entry.raised.text, []).append(entry.raised)
    return tuple(
        Echo(text, len(found), tuple(dict.fromkeys(raised.process for raised in found if raised.process)))
        for text, found in counts.items()
    )
