"""The gateway: HELLO, IDENTIFY, READY, heartbeats, RESUME with replay, invalid sessions, intents, shards."""

import asyncio
import itertools
import json
import zlib
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from tests.fakes.discord.records import (
    GUILD_MEMBERS,
    GUILD_PRESENCES,
    MESSAGE_CONTENT,
    DiscordSettings,
    Payload,
)
from tests.fakes.watch import Watch

_DISPATCH, _HEARTBEAT, _IDENTIFY, _RESUME, _INVALID, _HELLO, _ACK = 0, 1, 2, 6, 9, 10, 11
#: what a READY and the events after it are made of: given by the world
Welcome = Callable[[int, int], tuple[Payload, list[tuple[str, Payload]]]]


@dataclass(eq=False)
class Session:
    """What survives a broken connection: id, sequence, and the events that may have to be replayed."""

    id: str
    intents: int
    shard: tuple[int, int]
    sent: deque[Payload]
    sequence: int = 0
    heard: int = 0
    connection: "Connection | None" = None
    alive: bool = True

    def takes(self, intent: int, guild_id: str | None) -> bool:
        number, shards = self.shard
        here = number == ((int(guild_id) >> 22) % shards if guild_id else 0)
        return self.alive and here and (intent == 0 or bool(self.intents & intent))

    def dispatch(self, name: str, data: Payload) -> None:
        self.sequence += 1
        payload = {"op": _DISPATCH, "s": self.sequence, "t": name, "d": data}
        self.sent.append(payload)
        if self.connection:
            self.connection.send(payload)


@dataclass(eq=False)
class Connection:
    """One websocket; a single writer keeps the compressed stream in order."""

    ws: web.WebSocketResponse
    request: web.Request
    compress: bool
    outgoing: asyncio.Queue[Payload | int] = field(default_factory=asyncio.Queue)
    heartbeats: int = 0

    def send(self, payload: Payload) -> None:
        self.outgoing.put_nowait(payload)

    def close(self, code: int) -> None:
        """Close with `code` after everything queued has gone out."""
        self.outgoing.put_nowait(code)

    async def write(self) -> None:
        """Send what is queued until told to close, or until nobody is there any more."""
        stream = zlib.compressobj()
        with suppress(ConnectionError):
            while not isinstance(item := await self.outgoing.get(), int):
                text = json.dumps(item)
                if self.compress:
                    await self.ws.send_bytes(stream.compress(text.encode()) + stream.flush(zlib.Z_SYNC_FLUSH))
                else:
                    await self.ws.send_str(text)
            await self.ws.close(code=item)


class Gateway:
    """The end that bots dial. `sessions` holds every session ever made, `dialled` every path called."""

    def __init__(self, settings: DiscordSettings, watch: Watch, token: str, welcome: Welcome) -> None:
        self.sessions: list[Session] = []
        self.connections: list[Connection] = []
        self.dialled: list[str] = []
        self.resumed = 0
        self.acks_heartbeats = True
        self.open = True
        self._settings = settings
        self._watch = watch
        self._token = token
        self._welcome = welcome
        self._numbers = itertools.count(1)

    async def handle(self, request: web.Request) -> web.WebSocketResponse:
        """GET /gateway and /gateway/resume: one connection."""
        if not self.open:
            raise web.HTTPServiceUnavailable
        ws = web.WebSocketResponse(autoping=True, compress=False)
        await ws.prepare(request)
        self.dialled.append(request.path)
        connection = Connection(ws, request, request.query.get("compress") == "zlib-stream")
        self.connections.append(connection)
        writer = asyncio.create_task(connection.write())
        connection.send({"op": _HELLO, "d": {"heartbeat_interval": self._settings.heartbeat_interval_ms}})
        try:
            async for frame in ws:
                if frame.type is WSMsgType.TEXT:
                    self._hear(connection, json.loads(frame.data))
        finally:
            writer.cancel()
            self.connections.remove(connection)
            for session in self.sessions:
                if session.connection is connection:
                    session.connection = None
                    session.alive = session.alive and ws.close_code not in (1000, 1001)
            self._watch.notify()
        return ws

    def dispatch(self, name: str, intent: int, guild_id: str | None, show: Callable[[int], Payload]) -> int:
        """Tell every session that wants it; `show` makes the data for its intents. Returns how many."""
        takers = [session for session in self.sessions if session.takes(intent, guild_id)]
        for session in takers:
            session.dispatch(name, show(session.intents))
        self._watch.notify()
        return len(takers)

    async def ready(self, sessions: int = 1, within_s: float = 5.0) -> None:
        """Wait until so many sessions are connected."""
        await self._watch.until(
            lambda: sum(bool(one.alive and one.connection) for one in self.sessions) >= sessions,
            f"{sessions} gateway sessions",
            within_s,
        )

    async def all_heard(self, within_s: float = 5.0) -> None:
        """Wait until every connected bot took in every event: an asked-for heartbeat names the last one."""

        def behind() -> list[Session]:
            return [one for one in self.sessions if one.alive and one.connection and one.heard < one.sequence]

        for session in behind():
            if session.connection:
                session.connection.send({"op": _HEARTBEAT, "d": None})
        await self._watch.until(lambda: not behind(), "every event to be heard", within_s)

    async def close(self) -> None:
        """End of the fake."""
        for connection in list(self.connections):
            await connection.ws.close(code=1001)

    def _hear(self, connection: Connection, frame: Payload) -> None:
        op, data = frame["op"], frame.get("d") or {}
        if op == _HEARTBEAT:
            connection.heartbeats += 1
            self._note_sequence(connection, frame.get("d"))
            if self.acks_heartbeats:
                connection.send({"op": _ACK})
        elif op == _IDENTIFY:
            self._identify(connection, data)
        elif op == _RESUME:
            self._resume(connection, data)
        self._watch.notify()

    def _note_sequence(self, connection: Connection, sequence: object) -> None:
        for session in self.sessions:
            if session.connection is connection and isinstance(sequence, int):
                session.heard = max(session.heard, sequence)

    def _identify(self, connection: Connection, data: Payload) -> None:
        shard = tuple(data.get("shard") or (0, 1))
        if refusal := self._refusal(data, shard):
            connection.close(refusal)
            return
        number = next(self._numbers)
        session = Session(
            f"session-{number}", data["intents"], shard, deque(maxlen=self._settings.replay_limit)
        )
        session.connection = connection
        ready, events = self._welcome(*shard)
        self.sessions.append(session)
        session.dispatch("READY", {**ready, "session_id": session.id, "shard": list(shard)})
        for name, payload in events:
            session.dispatch(name, payload)

    def _refusal(self, data: Payload, shard: tuple[int, ...]) -> int | None:
        granted = self._settings.privileged | (MESSAGE_CONTENT if self._settings.message_content else 0)
        privileged = GUILD_MEMBERS | GUILD_PRESENCES | MESSAGE_CONTENT
        if data["token"] != self._token:
            return 4004
        if not 0 <= shard[0] < shard[1]:
            return 4010
        if shard[1] < self._settings.shards_required:
            return 4011
        if data["intents"] & privileged & ~granted:
            return 4014
        return None

    def _resume(self, connection: Connection, data: Payload) -> None:
        session = next((one for one in self.sessions if one.id == data["session_id"] and one.alive), None)
        if data["token"] != self._token:
            connection.close(4004)
        elif session is None:
            connection.send({"op": _INVALID, "d": False})
        elif data["seq"] > session.sequence:
            connection.close(4007)
        else:
            session.connection = connection
            for payload in [one for one in session.sent if one["s"] > data["seq"]]:
                connection.send(payload)
            session.dispatch("RESUMED", {"_trace": []})
            self.resumed += 1
