"""The program `vllm-diagnose`: runs a command and turns what goes wrong into one sentence and an exit code.

Not for what any command does, nor for its options. A plain `diagnose` is answered without the framework that
reads the options of all commands: importing that takes longer than the diagnosis.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from bot.cli.answer.request import read_request
from bot.cli.exits import CommandError, ExitCode, ReaderGoneError
from bot.cli.terminal import complain

if TYPE_CHECKING:
    from collections.abc import Sequence

_FILE_ADVICE = "check its rights and the space on the disk"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; what goes wrong is one sentence on stderr."""
    _prepare_streams()
    try:
        code = _run(sys.argv[1:] if arguments is None else list(arguments))
        _flush()
    except CommandError as error:
        return _fail(str(error), error.code)
    except KeyboardInterrupt:
        return _fail("interrupted", ExitCode.INTERRUPTED)
    except (BrokenPipeError, ReaderGoneError):
        _silence_stdout()
        return ExitCode.BROKEN_PIPE
    except OSError as error:
        _silence_stdout()
        code = ExitCode.NOT_ALLOWED if isinstance(error, PermissionError) else ExitCode.CANNOT_WRITE
        return _fail(f"{error.filename or 'the output'}: {error.strerror or error}; {_FILE_ADVICE}", code)
    return code


def _run(arguments: list[str]) -> int:
    request = read_request(arguments)
    if request is not None:
        from bot.cli.answer.answering import answer  # noqa: PLC0415 (the engine)

        return answer(request)
    from bot.cli.tree import run  # noqa: PLC0415 (the framework)

    return run(arguments)


def _fail(sentence: str, code: int) -> int:
    complain(sentence)
    return code


def _prepare_streams() -> None:
    """Let a terminal that cannot show a character show a mark instead of ending the program."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _flush() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def _silence_stdout() -> None:
    """Point stdout at nothing, so that the interpreter's own last flush cannot fail a second time."""
    try:
        number = sys.stdout.fileno()
    except (AttributeError, OSError, ValueError):
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, number)
    os.close(nothing)
