"""A line to another machine that can be cut: connections go through it as long as it is whole. Not tests.

Cut, it breaks them and lets no new ones come about. Cut silently, nothing comes through any more, as where packets
are lost; what was sent meanwhile arrives when it is whole again.
"""

import asyncio
import contextlib
from contextlib import asynccontextmanager


class Line:
    """Passes connections on."""

    def __init__(self, address: str, port: int) -> None:
        self._there = (address, port)
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task] = set()
        self._is_cut = False
        self._whole = asyncio.Event()
        self._whole.set()
        self.port = 0

    @asynccontextmanager
    async def open(self):
        """Listen on a port of this machine's own."""
        server = await asyncio.start_server(self._pass_on, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            self.heal()
            self.cut()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self, *, silently: bool = False) -> None:
        if silently:
            self._whole.clear()
            return
        self._is_cut = True
        for writer in self._writers:
            writer.transport.abort()

    def heal(self) -> None:
        self._whole.set()
        self._is_cut = False

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._tasks.add(asyncio.current_task())
        if self._is_cut:
            writer.transport.abort()
            return
        with contextlib.suppress(OSError):
            await self._whole.wait()
            far_reader, far_writer = await asyncio.open_connection(*self._there)
            both = {writer, far_writer}
            self._writers |= both
            try:
                await asyncio.gather(self._copy(reader, far_writer), self._copy(far_reader, writer))
            finally:
                self._writers -= both
                for end in both:
                    end.transport.abort()

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                await self._whole.wait()
                writer.write(data)
                await writer.drain()
            writer.write_eof()
