"""Slack as a chat platform. Not for what is said there."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

import structlog
from aiohttp import web

from adapters.chat.errors import CannotTellError, ChatError, NotAllowedError, UnreachableError
from adapters.chat.interface import Place
from adapters.chat.slack.connection import SocketConnection
from adapters.chat.slack.listening import Listening
from adapters.chat.slack.options import NAME, Delivery, Identity
from adapters.chat.slack.render import CAPABILITIES
from adapters.chat.slack.web.api import Api
from adapters.chat.slack.web.files import fetch
from adapters.chat.slack.web.groups import UserGroups
from adapters.chat.slack.web.replies import Replies

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from pathlib import Path

    from slack_bolt.async_app import AsyncApp
    from slack_sdk.web.async_client import AsyncWebClient

    from adapters.chat.interface import Capabilities, File, Inbox, Mark, MessageRef, Reply
    from adapters.chat.slack.options import SlackOptions


def create(options: SlackOptions, clock: Callable[[], datetime]) -> SlackPlatform:
    """Return Slack as a platform, its client and app built and not started. Raises `ValueError`."""
    if options.delivery is Delivery.HTTP and not options.signing_secret:
        raise ValueError(
            "Slack over HTTP needs the app's signing secret, or anybody could pretend to be Slack."
        )
    if options.delivery is Delivery.SOCKET and not options.app_token:
        raise ValueError("Slack's Socket Mode needs an app-level token (xapp-…) with connections:write.")
    return SlackPlatform(options, clock)


class SlackPlatform:
    """One app in one workspace; meets `ChatPlatform`."""

    def __init__(self, options: SlackOptions, clock: Callable[[], datetime]) -> None:
        self._options = options
        self._api = Api(options)
        self._replies = Replies(self._api)
        self._groups = UserGroups(self._api)
        self._listening = Listening(self._api, clock)
        self._socket = SocketConnection(self._listening.app, options)
        self._is_running = False
        self._team: str | None = None
        self._log = structlog.get_logger(__name__)

    @property
    def name(self) -> str:
        """Return the name that places in Slack hold."""
        return NAME

    @property
    def capabilities(self) -> Capabilities:
        """Return what Slack can show."""
        return CAPABILITIES

    @property
    def app(self) -> AsyncApp:
        """Return the Bolt app."""
        return self._listening.app

    @property
    def client(self) -> AsyncWebClient:
        """Return the client of the Web API."""
        return self._api.client

    @property
    def is_connected(self) -> bool:
        """Tell whether events can arrive."""
        return self._is_running and (self._socket.is_alive or self._options.delivery is Delivery.HTTP)

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes that Slack's signed requests come to; none in Socket Mode."""
        if self._options.delivery is Delivery.SOCKET:
            return ()
        return (web.post(self._options.events_path, self._listening.receive),)

    async def run(self, inbox: Inbox) -> None:
        """Deliver events until cancelled; closes everything before it returns.

        Raises `NotAllowedError` when Slack refuses a token.
        """
        try:
            us = await self._introduce()
            self._team = us.team
            self._listening.begin(us, inbox)
            self._is_running = True
            if self._options.delivery is Delivery.SOCKET:
                await self._socket.run()
            else:
                await asyncio.Event().wait()
        finally:
            self._is_running = False
            await self._listening.end()
            await self._api.close()

    async def _introduce(self) -> Identity:
        """Return who we are, as soon as Slack can be reached."""
        timing = self._options.timing
        pause = timing.retry_s
        while True:
            try:
                answer = await self._api.call(self._api.client.auth_test)
                return Identity(str(answer["team_id"]), str(answer["user_id"]), str(answer["bot_id"]))
            except NotAllowedError:
                raise
            except ChatError as error:
                self._log.warning("slack-not-reached", error=str(error))
            await asyncio.sleep(pause)
            pause = min(pause * 2, timing.retry_most_s)

    async def post(self, place: Place, reply: Reply) -> MessageRef:
        """Show a reply. Raises `ChatError`; after `UnreachableError` the reply may be out."""
        return await self._replies.post(place, reply)

    async def open_thread(self, channel: str, reply: Reply, *, may_be_out: bool) -> MessageRef:
        """Show a reply that heads a thread. Raises `ChatError`."""
        if self._team is None:
            raise UnreachableError(NAME, "a message: Slack has not said yet who we are")
        place = Place(NAME, self._team, channel)
        if may_be_out:
            with suppress(CannotTellError):
                found = await self._replies.find(place, reply.id)
                if found is not None:
                    return found
        return await self._replies.post(place, reply)

    async def find_reply(self, place: Place, reply_id: str) -> MessageRef | None:
        """Return our reply with this id if the place shows it. Raises `ChatError`."""
        return await self._replies.find(place, reply_id)

    async def edit(self, ref: MessageRef, reply: Reply) -> None:
        """Show another card in place of one of ours. Raises `ChatError`."""
        await self._replies.edit(ref, reply)

    async def mark(self, ref: MessageRef, mark: Mark) -> None:
        """Do nothing: a reaction on every message would be noise, and the reply itself says enough."""

    async def fetch(self, file: File, into: Path, limit_bytes: int) -> None:
        """Write the bytes of a file. Raises `FileGoneError`, `FileTooLargeError` or another `ChatError`."""
        await fetch(self._api, file, into, limit_bytes)

    async def groups_of(
        self, team: str, person_id: str, among: frozenset[str], age_s: float
    ) -> frozenset[str]:
        """Return which of these user groups somebody is in. Raises `ChatError`."""
        return await self._groups.of(team, person_id, among, age_s)

    async def done_with(self, file: File) -> None:
        """Do nothing: Slack keeps the file, we keep no copy."""
