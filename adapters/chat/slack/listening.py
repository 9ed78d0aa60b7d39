"""Slack's requests → the inbox, acknowledged once they are kept. Not for connections, and not for replies."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING, Any

import structlog
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.authorization.async_authorize import AsyncAuthorize
from slack_bolt.error import BoltUnhandledRequestError
from slack_bolt.response import BoltResponse

from adapters.chat.errors import ChatError, UnreachableError
from adapters.chat.interface import Trigger
from adapters.chat.slack.form import CALLBACK, TEXT, submission_of, view_of
from adapters.chat.slack.inbound import (
    click_of,
    command_of,
    is_listened_to,
    message_of,
    shared_file_of,
    shortcut_of,
    with_thread,
)
from adapters.chat.slack.options import NAME
from adapters.chat.slack.web.api import LIBRARY_LOG, web_client
from adapters.chat.slack.web.faults import TROUBLE

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from slack_bolt.context.ack.async_ack import AsyncAck

    from adapters.chat.interface import Click, Inbox, IncomingMessage
    from adapters.chat.slack.options import Identity
    from adapters.chat.slack.web.api import Api

    Body = dict[str, Any]


#: messages of a thread that are read together
_THREAD_LIMIT = 50


class _Ourselves(AsyncAuthorize):
    """Tells Bolt who we are, without a request to Slack for each event."""

    def __init__(self, known: Callable[[], Identity]) -> None:
        self._known = known

    async def __call__(self, **_: object) -> AuthorizeResult:
        us = self._known()
        return AuthorizeResult(enterprise_id=None, team_id=us.team, bot_id=us.bot, bot_user_id=us.user)


class Listening:
    """The Bolt app and what it does with each request. Deaf until `begin`."""

    def __init__(self, api: Api, clock: Callable[[], datetime]) -> None:
        self._api = api
        self._options = api.options
        self._clock = clock
        self._inbox: Inbox | None = None
        self._us: Identity | None = None
        self._underway: set[asyncio.Task[bool]] = set()
        self._log = structlog.get_logger(__name__)
        self.app = self._build()

    def begin(self, us: Identity, inbox: Inbox) -> None:
        """Hand over what arrives from now on."""
        self._us, self._inbox = us, inbox

    async def end(self) -> None:
        """Refuse what arrives from now on, so that Slack delivers it again; let what is being kept be kept."""
        self._inbox = None
        if self._underway:
            await asyncio.wait(self._underway, timeout=self._options.timing.farewell_s)

    async def receive(self, request: web.Request) -> web.Response:
        """Answer a signed request."""
        if self._inbox is None:
            return web.Response(status=503, text="not ready")
        try:
            asked = await to_bolt_request(request)
        except (LookupError, UnicodeDecodeError):
            return web.Response(status=400, text="not text")
        return await to_aiohttp_response(await self.app.async_dispatch(asked))

    def _build(self) -> AsyncApp:
        app = AsyncApp(
            name=NAME,
            logger=LIBRARY_LOG,
            client=web_client(self._options, None),
            authorize=_Ourselves(self._known),
            signing_secret=self._options.signing_secret,
            # A listener ends before the acknowledgement goes out: by then the event is kept.
            process_before_response=True,
            raise_error_for_unhandled_request=True,
        )
        for event in ("message", "app_mention"):
            app.event({"type": event})(self._event)
        app.event("file_shared")(self._file)
        app.command(self._options.command)(self._command)
        app.shortcut(self._options.shortcut)(self._shortcut)
        app.view(CALLBACK)(self._submission)
        app.action(re.compile(".+"))(self._press)
        app.error(self._failed)
        return app

    def _known(self) -> Identity:
        if self._us is None:
            raise UnreachableError(NAME, "an event before the bot knows itself")
        return self._us

    async def _event(self, body: Body) -> None:
        message = message_of(body, self._known(), self._options.hearing)
        await self._keep(await self._with_thread(message) if message is not None else None)

    async def _with_thread(self, message: IncomingMessage) -> IncomingMessage:
        """Return a mention without words together with the thread it stands in.

        Only where the thread was not heard before, which is where nothing is heard unasked.
        """
        thread = message.ref.place.thread
        is_bare = message.trigger is Trigger.MENTION and not message.text and not message.files
        if self._options.hearing.unasked or thread is None or not is_bare:
            return message
        method = self._api.client.conversations_replies
        channel = message.ref.place.channel
        try:
            async with asyncio.timeout(self._options.timing.quick_s):
                answer = await self._api.call(method, channel=channel, ts=thread, limit=_THREAD_LIMIT)
        except (ChatError, TimeoutError) as error:
            self._log.warning("thread-not-read", error=repr(error))
            return message
        return with_thread(message, answer.get("messages") or [], self._known())

    async def _file(self, body: Body) -> None:
        """Hear of a shared file; its message says more, so that gets the time to come first."""
        event = body["event"]
        await asyncio.sleep(self._options.timing.file_notice_s)
        async with asyncio.timeout(self._options.timing.quick_s):
            answer = await self._api.call(self._api.client.files_info, file=str(event.get("file_id") or ""))
        message = shared_file_of(event, answer.get("file") or {}, self._known())
        is_shared = bool(body.get("is_ext_shared_channel"))
        if message is not None and is_listened_to(message, self._options.hearing, is_shared=is_shared):
            await self._keep(message)

    async def _command(self, ack: AsyncAck, body: Body) -> None:
        if not str(body.get("text") or "").strip():
            await self._open_form(ack, body)
            return
        await self._keep(command_of(body, self._known(), self._clock()))
        await ack()

    async def _open_form(self, ack: AsyncAck, body: Body) -> None:
        form = self._options.form
        view = view_of(form, body)
        _ = self._api.session
        try:
            async with asyncio.timeout(self._options.timing.quick_s):
                await self._api.client.views_open(trigger_id=str(body.get("trigger_id") or ""), view=view)
        except TROUBLE as error:
            self._log.warning("form-not-opened", error=repr(error))
            await ack(text=form.cannot_open, response_type="ephemeral")
        else:
            await ack()

    async def _submission(self, ack: AsyncAck, body: Body) -> None:
        message = submission_of(body, self._known(), self._clock())
        if message is not None and not message.text.strip() and not message.files:
            await ack(response_action="errors", errors={TEXT: self._options.form.nothing_given})
            return
        await self._keep(message)
        await ack()

    async def _shortcut(self, ack: AsyncAck, body: Body) -> None:
        await self._keep(shortcut_of(body, self._known(), self._clock()))
        await ack()

    async def _press(self, ack: AsyncAck, body: Body) -> None:
        await self._keep(click_of(body, self._known(), self._clock()))
        await ack()

    async def _keep(self, event: IncomingMessage | Click | None) -> None:
        if event is None:
            return
        if self._inbox is None:
            raise UnreachableError(NAME, "an event while the bot ends")
        keeping = asyncio.ensure_future(self._inbox.accept(event))
        self._underway.add(keeping)
        keeping.add_done_callback(self._underway.discard)
        await keeping

    async def _failed(self, error: Exception, body: Body) -> BoltResponse:
        """Acknowledge what is not for us; everything else is to come again."""
        if isinstance(error, BoltUnhandledRequestError):
            if body.get("type") == "app_rate_limited":
                self._log.warning("slack-events-lost", minute=body.get("minute_rate_limited"))
            return BoltResponse(status=200)
        # What a store or a parser says may quote the event, so only its kind is told.
        told = str(error) if isinstance(error, ChatError) else type(error).__name__
        self._log.warning("event-not-kept", kind=body.get("type"), error=told)
        return BoltResponse(status=500)
