"""The host in memory behind a socket, so that it outlives the bot that is killed. Not tests."""

import asyncio
import pickle
from contextlib import asynccontextmanager
from pathlib import Path

from adapters.hosts.errors import OutcomeUnknownError
from adapters.hosts.records import LaunchChange
from tests.fakes.host import FakeHost


@asynccontextmanager
async def serving(find_host, path: Path, door):
    """Answer calls to whatever host there is at the moment; what a caller that died began is done to its end."""
    tasks = set()

    async def carry_out(verb: str, arguments: tuple):
        passage = door.passage()
        try:
            if await passage.before(verb) == "cut":
                raise ConnectionAbortedError
            try:
                result = await getattr(find_host(), verb)(*arguments)
            except Exception as error:  # noqa: BLE001 (the caller raises it)
                result = error
            if await passage.after(verb) == "cut":
                raise ConnectionAbortedError
            return result
        finally:
            passage.end()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        length = int.from_bytes(await reader.readexactly(4), "big")
        verb, arguments = pickle.loads(await reader.readexactly(length))  # noqa: S301 (our own test wrote it)
        work = asyncio.ensure_future(carry_out(verb, arguments))
        tasks.add(work)
        result = await asyncio.shield(work)
        body = pickle.dumps(_plain(result))
        writer.write(len(body).to_bytes(4, "big") + body)
        writer.close()

    async def patient(reader, writer):
        try:
            await answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            # the caller was killed, or is cut off
            writer.close()

    server = await asyncio.start_unix_server(patient, path)
    try:
        yield
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _plain(result):
    """Errors with their own arguments, which pickle would forget."""
    if isinstance(result, Exception):
        return ("error", type(result), {key: value for key, value in vars(result).items() if key != "args"})
    return ("result", result, {})


class DistantHost:
    """Meets `Host` over the socket."""

    def __init__(self, path: str, name: str = "gpu-1") -> None:
        self.path, self.name = path, name

    def __getattr__(self, verb):
        if verb not in vars(FakeHost) or verb.startswith("_"):
            raise AttributeError(verb)

        async def call(*arguments):
            try:
                return await self._call(verb, arguments)
            except (OSError, asyncio.IncompleteReadError) as error:
                raise OutcomeUnknownError(self.name, str(error), "ask again") from error

        return call

    async def _call(self, verb, arguments):
        reader, writer = await asyncio.open_unix_connection(self.path)
        body = pickle.dumps((verb, tuple(_sendable(one) for one in arguments)))
        writer.write(len(body).to_bytes(4, "big") + body)
        length = int.from_bytes(await reader.readexactly(4), "big")
        kind, value, facts = pickle.loads(await reader.readexactly(length))  # noqa: S301 (our own test wrote it)
        writer.close()
        if kind == "result":
            return value
        error = value.__new__(value)
        Exception.__init__(error, facts.get("what", ""))
        for name, fact in facts.items():
            setattr(error, name, fact)
        raise error


def _sendable(value):
    """A change with plain dictionaries."""
    if isinstance(value, LaunchChange):
        return LaunchChange(value.env_unset, dict(value.env_set), dict(value.flags_set), value.flags_unset)
    return value
