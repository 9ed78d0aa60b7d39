"""Runs the helper on this very machine. Not for other machines."""

from __future__ import annotations

import asyncio
import contextlib
from asyncio.subprocess import PIPE
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from adapters.hosts.errors import BrokenHostError, HostUnreachableError, OutcomeUnknownError
from adapters.hosts.transport.interface import LONGEST_REPLY
from adapters.hosts.transport.streams import read_most

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import Mapping

#: exit codes of a shell or `env` that could not start the program
_NEVER_BEGAN: Final = frozenset({126, 127})
#: a program that was killed has a higher code, or one below zero
_LAST_OWN_CODE: Final = 128
_NO_PROGRAM: Final = (FileNotFoundError, NotADirectoryError, PermissionError)


@dataclass(frozen=True, slots=True)
class LocalTransport:
    """Starts the helper as a child for each request; meets `Transport`."""

    host: str
    #: the helper's program with what is passed to it
    command: tuple[str, ...]
    environment: Mapping[str, str]

    async def run(self, request: bytes, deadline_seconds: float) -> bytes:
        """Hand a request to the helper and return its reply."""
        try:
            child = await asyncio.create_subprocess_exec(
                *self.command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=dict(self.environment)
            )
        except OSError as error:
            what = f"the helper could not be started ({error.strerror})"
            # a machine without memory or processes to spare may have some in a moment
            kind = BrokenHostError if isinstance(error, _NO_PROGRAM) else HostUnreachableError
            raise kind(self.host, what, f"check {self.command[0]}") from error
        try:
            async with asyncio.timeout(deadline_seconds):
                reply, told = await _talk(child, request)
                code = await child.wait()
        except TimeoutError as error:
            what = f"the helper did not answer within {deadline_seconds:g} s"
            raise OutcomeUnknownError(self.host, what) from error
        finally:
            if child.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    child.kill()
                await child.wait()
        return judged(self.host, reply, code, told)

    async def close(self) -> None:
        """Nothing is held."""


async def _talk(child: Process, request: bytes) -> tuple[bytes, bytes]:
    assert child.stdin is not None and child.stdout is not None and child.stderr is not None  # noqa: S101, PT018
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        child.stdin.write(request)
        await child.stdin.drain()
    child.stdin.close()
    reply, told = await asyncio.gather(
        read_most(child.stdout, LONGEST_REPLY + 1), read_most(child.stderr, 4096)
    )
    return reply, told


def judged(host: str, reply: bytes, code: int | None, told: bytes) -> bytes:
    """Return the reply of a helper that ended with a code; None: nobody knows how it ended.

    Raises `OutcomeUnknownError` when something cut it short, `BrokenHostError` when it ended by itself without a
    reply that can be used: it answers all it is asked, so what ran was none, or one that breaks down.
    """
    if code is None:
        raise OutcomeUnknownError(host, "the connection ended before the helper did")
    if not 0 <= code <= _LAST_OWN_CODE:
        raise OutcomeUnknownError(host, f"the helper was killed (code {code})")
    if len(reply) > LONGEST_REPLY:
        raise BrokenHostError(host, "the helper's reply is too long", "install the helper of this release")
    if reply:
        return reply
    if code in _NEVER_BEGAN:
        raise BrokenHostError(host, "the helper is not there", "install it: `vllm-diagnose hosts check`")
    words = " ".join(told.decode("utf-8", "replace").split())[-200:]
    what = f"the helper ended with code {code} and said nothing else than {words!r}"
    raise BrokenHostError(host, what, "run it by hand on the host, as the bot's account does")
