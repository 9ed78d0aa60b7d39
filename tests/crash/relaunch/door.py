"""The matrix's side of the door before a host: holds requests, cuts them off, lets helpers die. Not tests."""

import asyncio
import json
from contextlib import asynccontextmanager
from pathlib import Path

PATIENCE_S = 180.0
#: a shell and sudo say so of a program that was killed
_KILLED = frozenset({-9, 137})


class Door:
    """Every request to a host passes here twice: before it is carried out, and with its answer."""

    def __init__(self) -> None:
        #: nothing passes, neither way, and whoever asks is told so
        self.is_cut = False
        self._whole = asyncio.Event()
        self._whole.set()
        #: the helper that was to die has died; None: it was not asked for anything yet
        self.was_killed: bool | None = None
        self._place = ""
        self._held: Passage | None = None
        self._death: tuple[str, int] | None = None
        self._reached, self._opened, self._returned = asyncio.Event(), asyncio.Event(), asyncio.Event()

    def hold(self, place: str) -> None:
        """Let the next request for a verb (`stop`), or its answer (`stop:done`), stand still here."""
        self._place, self._held = place, None
        self._reached, self._opened, self._returned = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def reached(self) -> None:
        """Wait until it stands here."""
        await _patiently(self._reached)

    def open(self) -> None:
        """Let it go on."""
        self._place = ""
        self._opened.set()

    async def returned(self) -> None:
        """Wait until it has been carried out and answered, whether anybody still listens or not."""
        await _patiently(self._returned)

    def kill_helper(self, verb: str, point: int) -> None:
        """Let the next helper that is asked for a verb die right before the n-th thing that others could notice."""
        self._death, self.was_killed = (verb, point), None

    def cut(self, *, silently: bool = False) -> None:
        """Let nothing pass; silently: whoever asks hears nothing at all."""
        self.is_cut = True
        if silently:
            self._whole.clear()

    def heal(self) -> None:
        """Let everything pass that comes from now on."""
        self._whole.set()
        self.is_cut = False

    def reset(self) -> None:
        """Let everything pass."""
        self.open()
        self.heal()
        self._death = None

    def passage(self) -> "Passage":
        """One request on its way."""
        return Passage(self)

    @asynccontextmanager
    async def serving(self, path: Path):
        """Answer gates that stand on a host."""
        server = await asyncio.start_unix_server(self._answer, path)
        path.chmod(0o666)  # noqa: ASYNC240 (it does not take long)
        try:
            yield
        finally:
            server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        passage = self.passage()
        try:
            while line := await reader.readline():
                asked = json.loads(line)
                is_done, code = asked["is_done"], asked.get("code", 0)
                verb = asked["verb"]
                told = await (passage.after(verb, code) if is_done else passage.before(verb))
                writer.write(told.encode() + b"\n")
                await writer.drain()
        except ConnectionError:
            # the gate was killed
            pass
        finally:
            passage.end()
            writer.close()


class Passage:
    """One request."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._is_to_die = False

    async def before(self, verb: str) -> str:
        """Return `go`, `cut`, or `die N`."""
        await self._stand(verb)
        door = self._door
        if await self._is_lost():
            return "cut"
        if door._death is not None and door._death[0] == verb:
            point, door._death, self._is_to_die = door._death[1], None, True
            return f"die {point}"
        return "go"

    async def after(self, verb: str, code: int = 0) -> str:
        """Return `go` or `cut`."""
        if self._is_to_die:
            self._door.was_killed = code in _KILLED
        await self._stand(f"{verb}:done")
        return "cut" if await self._is_lost() else "go"

    async def _is_lost(self) -> bool:
        is_lost = self._door.is_cut
        await self._door._whole.wait()
        return is_lost

    def end(self) -> None:
        """It has come back."""
        if self._door._held is self:
            self._door._returned.set()

    async def _stand(self, place: str) -> None:
        door = self._door
        if place == door._place and door._held is None:
            door._held = self
            door._reached.set()
            await door._opened.wait()


async def _patiently(event: asyncio.Event) -> None:
    async with asyncio.timeout(PATIENCE_S):
        await event.wait()
