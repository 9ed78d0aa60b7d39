"""Texts that tell wrappers, harmless remains and failures without an exception. Not for weighing them."""

from typing import Final

#: texts that only say that something else failed; never a cause
WRAPPERS: Final = (
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
    *("Engine iteration timed out", "Timed out waiting for engine"),
)
#: what a logger prints for the exception where there is none
NOTHING_RAISED: Final = "NoneType: None"
#: texts that name a failure although no exception does
TELLING: Final = (
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
CODE_STARTS: Final = (
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
CODE_ENDS: Final = ("(", ":", "=", "[", "{", "\\")
WRAPPER_NAMES: Final = frozenset(
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
HARMLESS_NAMES: Final = frozenset({"KeyboardInterrupt"})
HARMLESS_FILES: Final = ("resource_tracker.py", "weakref.py", '/threading.py" _shutdown')
#: exceptions that are caught on purpose to raise a clearer one
PRECURSORS: Final = frozenset(
    {"KeyError", "JSONDecodeError", "HFValidationError", "StopIteration", "Empty", "Again", "CancelledError"}
)
HARD_LEVELS: Final = frozenset({"ERROR", "CRITICAL"})
SOFT_LEVELS: Final = frozenset({"WARNING", "INFO", "DEBUG"})
#: how the log of a server begins
BEGUN: Final = ("vLLM API server version", "non-default args:")
STARTED: Final = ("Application startup complete", "Uvicorn running on")
#: something asked the server to stop; what a dying engine makes the server print is not among these
STOPPED: Final = (
    *(
        "Shutting down",
        "shutdown triggered",
        "Waiting for application shutdown",
        "Received SIGTERM",
        "received signal=",
    ),
    *("Received signal", "Received shutdown", "Gracefully stopping"),
)
REQUEST_ORIGINS: Final = (
    "serving",
    "api_server.py",
    "protocol.py",
    "preprocess",
    "chat_utils",
    "tool_parser",
    "launcher.py",
)


def is_wrapper(name: str, message: str) -> bool:
    """Tell whether an exception only says that something else failed."""
    if name.rsplit(".", 1)[-1] in WRAPPER_NAMES:
        return True
    return message.lstrip("'\"").startswith(WRAPPERS) or "See root cause above" in message
