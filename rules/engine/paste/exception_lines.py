"""Tells whether a line ends a traceback, and which exception it names. Not for tracebacks as a whole."""

from typing import Final, NamedTuple

_ENDINGS: Final = ("Error", "Exception", "Warning", "Interrupt", "Exit", "Timeout", "Fault")
#: exceptions whose names say nothing of it
_UNUSUAL: Final = frozenset(
    {
        "OutOfResources",
        "OutOfMemory",
        "BackendCompilerFailed",
        "StopIteration",
        "StopAsyncIteration",
        "GatedRepo",
        "KeyboardInterrupt",
    }
    | {
        "SystemExit",
        "Unsupported",
        "InternalTorchDynamo",
        "EngineDead",
        "NotFound",
        "ResourceExhausted",
        "DistBackend",
        "Empty",
    }
    | {
        "UserError",
        "PTXASError",
        "CompilationError",
        "EngineGenerationError",
        "ConstraintViolationError",
        "NVMLError_InvalidArgument",
    }
)
_LONGEST_NAME: Final = 120
_NOT_EXCEPTIONS: Final = ("Warning",)
#: a C++ program that dies of an exception, the kernel or the shell that reports a death
_FATAL_STARTS: Final = (
    "terminate called",
    "Fatal Python error",
    "Segmentation fault",
    "Bus error",
    "Illegal instruction",
    "Aborted (core",
)
_ARGPARSE: Final = (": error: ",)
_PROGRAMS: Final = ("vllm", "api_server", "__main__", "openai", "serve", "python")


class ExceptionText(NamedTuple):
    """What an exception line says."""

    #: qualified name as printed (`torch.OutOfMemoryError`), or `vllm serve: error` of an argument parser
    name: str
    message: str


def is_exception_line(text: str) -> bool:
    """Tell whether the text begins with the name of an exception, alone or with a colon and a message."""
    return read_exception_line(text) is not None


def read_exception_line(text: str) -> ExceptionText | None:
    """Return exception and message of a line such as `torch.OutOfMemoryError: CUDA out of memory.`."""
    first = text[:1]
    if not (first.isalpha() or first == "_"):
        return None
    name, colon, message = text.partition(":")
    if len(name) > _LONGEST_NAME:
        return None
    if not colon:
        name = name.rstrip()
    if _names_exception(name):
        if colon and message and message[:1] not in " \t":
            return None
        return ExceptionText(name, message.strip())
    return _validation(text) or _parser_error(text) or _fatal(text)


def _names_exception(name: str) -> bool:
    last = name.rsplit(".", 1)[-1]
    if (
        name.count(".") >= 2
        and last[:1].isupper()
        and not last.isupper()
        and name.replace(".", "").replace("_", "").isalnum()
    ):
        # A class in a module of a package, such as `huggingface_hub.utils._http.OfflineModeIsEnabled`.
        return not last.endswith(_NOT_EXCEPTIONS)
    if not last.endswith(_ENDINGS) and last not in _UNUSUAL:
        return False
    if last in _ENDINGS and "." not in name:
        return last == "Exception"
    camel = last[:1].isupper() or sum(map(str.isupper, last)) >= 3
    return camel and name.replace(".", "").replace("_", "").isalnum() and not last.endswith(_NOT_EXCEPTIONS)


def _validation(text: str) -> ExceptionText | None:
    """Read a part of a pydantic error that was pasted without its first line."""
    if text.startswith(("Value error, ", "Assertion failed, ")):
        return ExceptionText("", text)
    number, _, rest = text.partition(" ")
    if number.isdigit() and rest.startswith(("validation error for ", "validation errors for ")):
        return ExceptionText("", text)
    return None


def _parser_error(text: str) -> ExceptionText | None:
    """Read `vllm serve: error: …` and `api_server.py: error: …` of an argument parser."""
    end = text.find(": error: ", 0, _LONGEST_NAME)
    if end < 0:
        return None
    program = text[:end]
    known = program.removesuffix(".py").split(" ")[0].split("/")[-1] in _PROGRAMS or program.endswith(".py")
    return ExceptionText(f"{program}: error", text[end + 9 :].strip()) if known else None


def _fatal(text: str) -> ExceptionText | None:
    """Read the line with which a crash without a Python exception shows."""
    return (
        ExceptionText(text.split(":", 1)[0].strip(), text.strip()) if text.startswith(_FATAL_STARTS) else None
    )


def find_exception_inside(text: str, *, code: bool = False) -> ExceptionText | None:
    """Return the first exception named within a line (`[Bug]: RuntimeError: …`, `AssertionError('…')`).

    With `code` also what source code raises, which has names in place of values.
    """
    for mark in ("Error:", "Exception:", "Error(", "Exception(", "OutOfResources:", "Error：", "error: "):
        end = text.find(mark)
        if end < 0:
            continue
        start = end
        while start and (text[start - 1].isalnum() or text[start - 1] in "._") and text[start - 1].isascii():
            start -= 1
        if not code and mark.endswith("(") and text[:start].endswith("raise "):
            continue
        name = text[start : end + len(mark) - 1]
        if mark == "error: ":
            program = text[max(0, end - 20) : end + 5]
            if "vllm" in program or ".py:" in program:
                return ExceptionText("vllm: error", text[end + 7 :].strip())
            continue
        message = text[end + len(mark) :].strip()
        if mark.endswith("("):
            message = message.strip("'\"").partition("')")[0].partition('")')[0]
        if _names_exception(name.lstrip(".")) and message:
            return ExceptionText(name.lstrip("."), message)
    return None
