"""Runs the helper on this very machine. Not for other machines."""

from __future__ import annotations

import asyncio
import contextlib
from asyncio.subprocess import PIPE
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from adapters.hosts.errors import HostUnreachableError, OutcomeUnknownError
from adapters.hosts.transport.interface import LONGEST_REPLY
from adapters.hosts.transport.streams import read_most

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import Mapping

#: exit codes of a shell or `env` that could not start the program
_NEVER_BEGAN: Final = frozenset({126, 127})


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
            raise HostUnreachableError(self.host, what, f"check {self.command[0]}") from error
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

    Raises `HostUnreachableError` when it never began, `OutcomeUnknownError` when it ended without a whole reply.
    """
    if code is not None and reply and len(reply) <= LONGEST_REPLY:
        return reply
    if code is None:
        raise OutcomeUnknownError(host, "the connection ended before the helper did")
    if len(reply) > LONGEST_REPLY:
        raise OutcomeUnknownError(host, "the helper's reply is too long")
    if code in _NEVER_BEGAN:
        raise HostUnreachableError(host, "the helper is not there", "install it: `vllm-diagnose hosts check`")
    words = " ".join(told.decode("utf-8", "replace").split())[-200:]
    raise OutcomeUnknownError(host, f"the helper ended with code {code} and said nothing else than {words!r}")
