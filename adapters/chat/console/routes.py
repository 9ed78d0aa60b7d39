"""The HTTP side of the console's chat: saying, asking, pressing, following. Not for who may."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aiohttp import web

from adapters.chat.console.rooms import NAME, TEAM, Draft
from adapters.chat.console.sending import Limits, RefusedError, read_sent
from adapters.chat.errors import UnreachableError
from adapters.chat.interface import Click, MessageRef, Place, Trigger

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adapters.chat.console.log import RoomEvent
    from adapters.chat.console.rooms import Rooms
    from adapters.chat.interface import Person

#: names of the form's fields
_FIELDS = ("release", "gpu", "model")
#: events sent to a page that opens for the first time
_BACKLOG = 1_000
_BATCH = 200
_HEARTBEAT_S = 15.0
_RECONNECT_MS = 1_500
_COMMAND = "/vllm-diagnose"
_MENTION = "@vllm-diagnose"
_ID_LIMIT = 64


@dataclass(frozen=True, slots=True)
class RoomsApi:
    """The routes of the rooms."""

    rooms: Rooms
    channels: Sequence[str]
    person_of: Callable[[web.Request], Person]
    limits: Limits

    def routes(self) -> list[web.RouteDef]:
        """Return the routes, to be mounted by the app."""
        return [
            web.post("/api/rooms/{channel}/messages", self._say),
            web.post("/api/rooms/{channel}/messages/{message}/ask", self._ask),
            web.post("/api/rooms/{channel}/messages/{message}/edit", self._edit),
            web.post("/api/rooms/{channel}/clicks", self._press),
            web.get("/api/rooms/events", self._follow),
        ]

    async def _say(self, request: web.Request) -> web.Response:
        try:
            channel = self._channel(request)
            sent = await read_sent(request, self.rooms.around.uploads, self.limits)
            if not sent.values.get("text", "").strip() and not sent.files:
                raise RefusedError("empty", 400)  # noqa: TRY301
            fields = {
                name: sent.values[name].strip() for name in _FIELDS if sent.values.get(name, "").strip()
            }
            trigger, text = _trigger_of(sent.values.get("text", ""), asked=bool(sent.values.get("ask")))
            draft = Draft(
                author=self.person_of(request),
                channel=channel,
                text=text,
                thread=_id(sent.values.get("thread")),
                files=tuple(sent.files),
                fields=fields,
                trigger=Trigger.FORM if fields else trigger,
                language=_id(sent.values.get("language")),
                key=_id(sent.values.get("key")),
            )
            event = await self.rooms.say(draft)
        except RefusedError as error:
            return _refusal(error)
        except UnreachableError:
            return _refusal(RefusedError("not-running", 503))
        return web.json_response({"id": event.payload["id"], "sequence": event.sequence}, status=201)

    async def _ask(self, request: web.Request) -> web.Response:
        try:
            found = await self.rooms.ask_again(request.match_info["message"], self.person_of(request))
        except UnreachableError:
            return _refusal(RefusedError("not-running", 503))
        return web.json_response({}, status=202) if found else _refusal(RefusedError("no-message", 404))

    async def _edit(self, request: web.Request) -> web.Response:
        try:
            text = str((await request.json())["text"])[: self.limits.text_bytes]
            found = await self.rooms.change(request.match_info["message"], self.person_of(request), text)
        except (KeyError, TypeError, ValueError):
            return _refusal(RefusedError("empty", 400))
        except UnreachableError:
            return _refusal(RefusedError("not-running", 503))
        return web.json_response({}, status=202) if found else _refusal(RefusedError("no-message", 404))

    async def _press(self, request: web.Request) -> web.Response:
        try:
            place = Place(NAME, TEAM, self._channel(request))
            await self.rooms.press(self._click(place, await request.json(), self.person_of(request)))
        except (AttributeError, KeyError, TypeError, ValueError):
            return _refusal(RefusedError("not-a-click", 400))
        except RefusedError as error:
            return _refusal(error)
        except UnreachableError:
            return _refusal(RefusedError("not-running", 503))
        return web.json_response({}, status=202)

    def _click(self, place: Place, data: dict[str, Any], person: Person) -> Click:
        thread = _id(data.get("thread"))
        action, value = str(data["action"])[:_ID_LIMIT], str(data["value"])[:100]
        return Click(
            message=MessageRef(
                Place(place.platform, place.team, place.channel, thread), str(data["message"])
            ),
            person=person,
            action=action,
            value=value,
            clicked_at=self.rooms.around.clock(),
            delivery_keys=(f"click:{self.rooms.around.new_id()}",),
        )

    async def _follow(self, request: web.Request) -> web.StreamResponse:
        """Send what happens as server-sent events, from where the page left off."""
        log = self.rooms.around.log
        last = _number(request.headers.get("Last-Event-ID") or request.query.get("after"))
        if last is None:
            last = max(0, await log.last_sequence() - _BACKLOG)
        response = web.StreamResponse(
            headers={
                "Content-Type": "text/event-stream",
                "Cache-Control": "no-store",
                "X-Accel-Buffering": "no",
            }
        )
        await response.prepare(request)
        # A page that is closed says itself where to go on.
        with suppress(ConnectionResetError):
            await self._send(response, last, self.person_of(request).id)
        return response

    async def _send(self, response: web.StreamResponse, last: int, person: str) -> None:
        """Write what happens until the bot ends."""
        await response.write(f"retry: {_RECONNECT_MS}\n\n".encode())
        is_live = False
        while self.rooms.inbox is not None:
            ticket = self.rooms.watchers.ticket()
            events = await self.rooms.around.log.after(last, _BATCH)
            for event in events:
                last = event.sequence
                if event.payload.get("recipient") in {None, person} and event.channel in self.channels:
                    await response.write(_line(event))
            if events:
                continue
            if not is_live:
                is_live = True
                await response.write(b"event: live\ndata: {}\n\n")
            await _wait(ticket, response)

    def _channel(self, request: web.Request) -> str:
        channel = request.match_info["channel"]
        if channel not in self.channels:
            raise RefusedError("no-channel", 404)
        return channel


async def _wait(ticket: asyncio.Event, response: web.StreamResponse) -> None:
    try:
        async with asyncio.timeout(_HEARTBEAT_S):
            await ticket.wait()
    except TimeoutError:
        await response.write(b": still here\n\n")


def _line(event: RoomEvent) -> bytes:
    data = json.dumps({"channel": event.channel, "kind": event.kind, **event.payload}, ensure_ascii=False)
    return f"id: {event.sequence}\nevent: room\ndata: {data}\n\n".encode()


def _trigger_of(text: str, *, asked: bool) -> tuple[Trigger, str]:
    """Return how a text reaches us, and the text without the words that only call us."""
    stripped = text.lstrip()
    for word, trigger in ((_COMMAND, Trigger.COMMAND), (_MENTION, Trigger.MENTION)):
        if stripped.startswith(word):
            return trigger, stripped.removeprefix(word).lstrip(" :,")
    if _MENTION in stripped:
        return Trigger.MENTION, text.replace(_MENTION, "")
    return (Trigger.FORM if asked else Trigger.SAID), text


def _refusal(error: RefusedError) -> web.Response:
    return web.json_response({"error": error.code, "values": error.values}, status=error.status)


def _id(value: object) -> str | None:
    """Return an id as the page made it; anything else counts as none."""
    text = str(value) if value else ""
    return text if 0 < len(text) <= _ID_LIMIT and text.replace("-", "").isalnum() else None


def _number(value: str | None) -> int | None:
    return int(value) if value and value.isascii() and value.isdigit() and len(value) < 18 else None
