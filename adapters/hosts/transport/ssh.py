"""Reaches the helper over SSH: pinned host keys or a host CA, one connection for many requests. Not for its words.

The helper is the account's forced command; whatever command is named here, the host runs that.
"""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import asyncssh

from adapters.hosts.errors import BrokenHostError, HostError, HostUnreachableError, OutcomeUnknownError
from adapters.hosts.transport.interface import LONGEST_REPLY
from adapters.hosts.transport.local import judged
from adapters.hosts.transport.streams import read_most

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

#: what the host sees when the account has no forced command: nothing that could act
_COMMAND: Final = "vllm-diagnose-helper serve-request"
_CONNECT_SECONDS: Final = 5
_LOGIN_SECONDS: Final = 10
#: a host that is silent this long, this often, is gone
_KEEPALIVE_SECONDS: Final = 5
_KEEPALIVES: Final = 3


class NoHostKeyError(ValueError):
    """A host without a pinned key and without a host CA is never connected to."""


@dataclass(frozen=True, slots=True)
class SshAddress:
    """Where an SSH server is and how each side proves itself."""

    #: an IP address: names are looked up once, by whoever made this
    address: str
    port: int
    user: str
    #: public keys in OpenSSH's form (`ssh-ed25519 AAAA…`)
    host_keys: tuple[str, ...]
    #: public keys of authorities that sign host keys
    host_authorities: tuple[str, ...] = ()
    #: the name that a host certificate is made out for; empty: the address
    certified_name: str = ""

    def __post_init__(self) -> None:
        """Refuse an address that would be trusted blindly."""
        if not self.host_keys and not self.host_authorities:
            raise NoHostKeyError(f"{self.address} has no pinned host key: put it into the registry")


@dataclass(frozen=True, slots=True)
class SshKey:
    """What we prove ourselves with."""

    file: Path
    certificate: Path | None = None


class SshTransport:
    """One host over SSH; meets `Transport`."""

    def __init__(self, host: str, route: tuple[SshAddress, ...], key: SshKey) -> None:
        """Reach the last address of a route by way of those before it."""
        self._host = host
        self._route = route
        self._key = key
        self._connections: list[asyncssh.SSHClientConnection] = []
        self._opening = asyncio.Lock()

    async def run(self, request: bytes, deadline_seconds: float) -> bytes:
        """Hand a request to the helper and return its reply."""
        process = await self._begin()
        try:
            async with asyncio.timeout(deadline_seconds):
                reply, told = await _talk(process, request)
                await process.wait_closed()
        except TimeoutError as error:
            what = f"the helper did not answer within {deadline_seconds:g} s"
            raise OutcomeUnknownError(self._host, what) from error
        except (asyncssh.Error, OSError) as error:
            what = f"the connection ended before the answer ({_words(error)})"
            raise OutcomeUnknownError(self._host, what) from error
        finally:
            process.close()
        return judged(self._host, reply, process.exit_status, told)

    async def close(self) -> None:
        """Close the connections, the farthest first."""
        await self._drop()

    async def _begin(self) -> asyncssh.SSHClientProcess[bytes]:
        """Start the helper, over the connection that is there or a new one."""
        for is_last in (False, True):
            had_one = self._is_open()
            connection = await self._connected()
            try:
                async with asyncio.timeout(_LOGIN_SECONDS):
                    return await connection.create_process(_COMMAND, encoding=None)
            except asyncssh.ChannelOpenError as error:
                # refused before anything ran; a connection that just died is worth one new try
                if is_last or not had_one:
                    what = f"it starts no helper ({_words(error)})"
                    raise HostUnreachableError(self._host, what) from error
                await self._drop()
            except (TimeoutError, asyncssh.Error, OSError) as error:
                await self._drop()
                raise OutcomeUnknownError(
                    self._host, f"it did not start the helper ({_words(error)})"
                ) from error
        raise AssertionError("unreachable")

    def _is_open(self) -> bool:
        return bool(self._connections) and not any(one.is_closed() for one in self._connections)

    async def _connected(self) -> asyncssh.SSHClientConnection:
        async with self._opening:
            if not self._is_open():
                await self._drop()
                try:
                    await self._open()
                except (TimeoutError, asyncssh.Error, OSError, ValueError) as error:
                    await self._drop()
                    raise self._no_connection(error) from error
            return self._connections[-1]

    async def _open(self) -> None:
        for address in self._route:
            tunnel = self._connections[-1] if self._connections else None
            self._connections.append(await self._connect(address, tunnel))

    async def _connect(
        self, address: SshAddress, tunnel: asyncssh.SSHClientConnection | None
    ) -> asyncssh.SSHClientConnection:
        keys = [asyncssh.import_public_key(key) for key in address.host_keys]
        authorities = [asyncssh.import_public_key(key) for key in address.host_authorities]
        proof: list[object] = [str(self._key.file)]
        if self._key.certificate is not None:
            proof = [(str(self._key.file), str(self._key.certificate))]
        return await asyncssh.connect(
            address.address,
            address.port,
            username=address.user,
            tunnel=tunnel,
            known_hosts=(keys, authorities, []),
            host_key_alias=address.certified_name or None,
            client_keys=proof,
            config=None,
            agent_path=None,
            password=None,
            preferred_auth=("publickey",),
            connect_timeout=_CONNECT_SECONDS,
            login_timeout=_LOGIN_SECONDS,
            keepalive_interval=_KEEPALIVE_SECONDS,
            keepalive_count_max=_KEEPALIVES,
        )

    async def _drop(self) -> None:
        while self._connections:
            connection = self._connections.pop()
            connection.abort()
            with contextlib.suppress(asyncssh.Error, OSError):
                await connection.wait_closed()

    def _no_connection(self, error: Exception) -> HostError:
        for kind, sentence in _SENTENCES:
            if isinstance(error, kind):
                what, next_step = sentence(error)
                is_passing = kind is TimeoutError
                made = HostUnreachableError if is_passing else BrokenHostError
                return made(self._host, what, next_step)
        return HostUnreachableError(self._host, f"no connection ({_words(error)})")


async def _talk(process: asyncssh.SSHClientProcess[bytes], request: bytes) -> tuple[bytes, bytes]:
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(request)
        await process.stdin.drain()
    process.stdin.write_eof()
    reply, told = await asyncio.gather(
        read_most(process.stdout, LONGEST_REPLY + 1), read_most(process.stderr, 4096)
    )
    return reply, told


def _words(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


_SENTENCES: Final[tuple[tuple[type[Exception], Callable[[Exception], tuple[str, str]]], ...]] = (
    (
        asyncssh.HostKeyNotVerifiable,
        lambda _: (
            "its host key is not the pinned one",
            "do not go on before somebody who knows the host has said why",
        ),
    ),
    (
        asyncssh.PermissionDenied,
        lambda _: ("it does not accept our key", "add the public key with the forced command to the account"),
    ),
    (
        TimeoutError,
        lambda _: (f"no connection within {_CONNECT_SECONDS} s", "is the host up, and reachable from here?"),
    ),
    (
        asyncssh.KeyImportError,
        lambda error: (f"a key cannot be read ({_words(error)})", "check the key files in the registry"),
    ),
    (FileNotFoundError, lambda error: (f"a key file is missing ({_words(error)})", "check the registry")),
    (
        PermissionError,
        lambda error: (f"a key file may not be read ({_words(error)})", "check its owner and mode"),
    ),
)
