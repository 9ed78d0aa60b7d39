"""Socket Mode: tickets, hello, envelopes, acks, `disconnect`, several sockets that share the events."""

import asyncio
import itertools
import json
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from tests.fakes.slack.delivery.dispatcher import Attempt, Delivery, Outcome
from tests.fakes.slack.records import Payload, SlackSettings
from tests.fakes.watch import Watch


@dataclass(eq=False)
class Socket:
    """One connection of the app. `draining`: it was told to reconnect and gets nothing new."""

    number: int
    ws: web.WebSocketResponse
    request: web.Request
    waiting: dict[str, asyncio.Future[Outcome]] = field(default_factory=dict)
    delivered: int = 0
    draining: bool = False
    pongs: int = 0

    @property
    def takes_events(self) -> bool:
        return not self.draining and not self.ws.closed


class SocketMode:
    """The end that the app dials. `sockets` are those open now; `late_acks` came after the time was up."""

    def __init__(self, settings: SlackSettings, watch: Watch, app_id: str) -> None:
        self.sockets: list[Socket] = []
        self.late_acks: list[str] = []
        self.opened = 0
        self._settings = settings
        self._watch = watch
        self._app_id = app_id
        self._tickets: set[str] = set()
        self._numbers = itertools.count(1)
        self._envelopes = itertools.count(1)
        self._closers: set[asyncio.Task[None]] = set()

    def ticket(self) -> str:
        """A one-time ticket for `apps.connections.open`."""
        ticket = f"ticket-{next(self._numbers)}"
        self._tickets.add(ticket)
        return ticket

    async def handle(self, request: web.Request) -> web.WebSocketResponse:
        """GET /link: one connection from hello to its end."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            raise web.HTTPForbidden(text="unknown or used ticket")
        self._tickets.discard(ticket)
        ws = web.WebSocketResponse(autoping=False)
        await ws.prepare(request)
        self.opened += 1
        socket = Socket(self.opened, ws, request)
        if len(self.sockets) >= self._settings.most_sockets:
            await ws.send_json(self._goodbye("too_many_websockets"))
            await ws.close()
            return ws
        await ws.send_json(self._hello(len(self.sockets) + 1))
        self.sockets.append(socket)
        self._watch.notify()
        pinger = asyncio.create_task(self._ping(ws))
        try:
            await self._listen(socket)
        finally:
            pinger.cancel()
            self.sockets.remove(socket)
            for future in socket.waiting.values():
                if not future.done():
                    future.set_result(Outcome(acked=False, reason="socket_closed"))
            self._watch.notify()
        return ws

    async def carry(self, delivery: Delivery, attempt: Attempt) -> Outcome:
        """Send one envelope on one of the sockets; waits for a socket as long as there is none."""
        socket = await self._watch.until(self._least_used, "a socket that takes events", within_s=3_600)
        socket.delivered += 1
        envelope_id = f"envelope-{next(self._envelopes)}"
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Outcome] = loop.create_future()
        socket.waiting[envelope_id] = future
        attempt.sent_at = loop.time()
        try:
            await socket.ws.send_json(self._envelope(envelope_id, delivery, attempt))
            return await asyncio.wait_for(future, self._settings.ack_timeout_s)
        except TimeoutError:
            return Outcome(acked=False, reason="timeout")
        except ConnectionError:
            return Outcome(acked=False, reason="socket_closed")
        finally:
            socket.waiting.pop(envelope_id, None)

    async def disconnect(self, reason: str = "refresh_requested", *, close: bool = True) -> None:
        """Tell every socket to reconnect; unless it is only a warning, close them after a grace period."""
        for socket in list(self.sockets):
            await socket.ws.send_json(self._goodbye(reason))
            if reason != "warning" and close:
                socket.draining = True
                task = asyncio.create_task(self._close_later(socket))
                self._closers.add(task)
                task.add_done_callback(self._closers.discard)

    async def drop(self) -> None:
        """Cut every connection without a word."""
        for socket in list(self.sockets):
            if socket.request.transport:
                socket.request.transport.abort()

    async def connected(self, sockets: int = 1, within_s: float = 5.0) -> None:
        """Wait until the app holds at least so many sockets."""
        await self._watch.until(
            lambda: sum(socket.takes_events for socket in self.sockets) >= sockets,
            f"{sockets} sockets",
            within_s,
        )

    async def close(self) -> None:
        """Close everything from our side."""
        for task in self._closers:
            task.cancel()
        await asyncio.gather(*self._closers, return_exceptions=True)
        for socket in list(self.sockets):
            await socket.ws.close()

    async def _listen(self, socket: Socket) -> None:
        async for frame in socket.ws:
            if frame.type is WSMsgType.PING:
                await socket.ws.pong(frame.data)
            elif frame.type is WSMsgType.PONG:
                socket.pongs += 1
                self._watch.notify()
            elif frame.type is WSMsgType.TEXT and frame.data.startswith("{"):
                self._acknowledge(socket, json.loads(frame.data))

    def _acknowledge(self, socket: Socket, ack: Payload) -> None:
        future = socket.waiting.get(ack["envelope_id"])
        if future is None or future.done():
            self.late_acks.append(ack["envelope_id"])
        else:
            future.set_result(Outcome(acked=True, response=ack.get("payload")))
        self._watch.notify()

    async def _ping(self, ws: web.WebSocketResponse) -> None:
        while not ws.closed:
            await ws.ping(b"Ping from the fake")
            await asyncio.sleep(self._settings.ping_every_s)

    async def _close_later(self, socket: Socket) -> None:
        await asyncio.sleep(self._settings.closing_grace_s)
        await socket.ws.close()

    def _least_used(self) -> Socket | None:
        ready = [socket for socket in self.sockets if socket.takes_events]
        return min(ready, key=lambda socket: socket.delivered, default=None)

    def _hello(self, sockets: int) -> Payload:
        return {
            "type": "hello",
            "num_connections": sockets,
            "connection_info": {"app_id": self._app_id},
            "debug_info": {"host": "fake", "build_number": 1, "approximate_connection_time": 18_060},
        }

    def _goodbye(self, reason: str) -> Payload:
        return {"type": "disconnect", "reason": reason, "debug_info": {"host": "fake"}}

    def _envelope(self, envelope_id: str, delivery: Delivery, attempt: Attempt) -> Payload:
        envelope: Payload = {
            "envelope_id": envelope_id,
            "type": delivery.kind,
            "payload": delivery.payload,
            "accepts_response_payload": delivery.kind != "events_api",
        }
        if delivery.kind == "events_api":
            envelope |= {"retry_attempt": attempt.number, "retry_reason": attempt.reason}
        return envelope
