"""Keeps one Socket Mode connection alive. Not for what arrives over it.

The library reconnects by itself most of the time. Twice it was seen to end up without a connection and to
leave it at that, so somebody watches it here and builds everything anew.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import structlog
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler

from adapters.chat.errors import ChatError, NotAllowedError, RateLimitedError
from adapters.chat.slack.web.api import LIBRARY_LOG, web_client
from adapters.chat.slack.web.faults import TROUBLE, chat_error

if TYPE_CHECKING:
    from slack_bolt.async_app import AsyncApp
    from slack_sdk.socket_mode.aiohttp import SocketModeClient

    from adapters.chat.slack.options import SlackOptions

#: seconds that Slack gets to say goodbye
_FAREWELL_S = 1.0


class SocketConnection:
    """A connection that is made again whenever it is lost."""

    def __init__(self, app: AsyncApp, options: SlackOptions) -> None:
        self._app = app
        self._options = options
        self._client = web_client(options, options.app_token)
        self._log = structlog.get_logger(__name__)
        #: events can arrive
        self.is_alive = False

    async def run(self) -> None:
        """Stay connected until cancelled. Raises `NotAllowedError` when Slack refuses the token."""
        timing = self._options.timing
        pause = timing.retry_s
        while True:
            was_alive = False
            try:
                was_alive = await self._hold()
            except NotAllowedError:
                raise
            except RateLimitedError as error:
                pause = max(pause, error.retry_after_s)
            except (ChatError, TimeoutError) as error:
                self._log.warning("slack-not-connected", error=repr(error))
            pause = timing.retry_s if was_alive else pause
            await asyncio.sleep(pause)
            pause = min(pause * 2, timing.retry_most_s)

    async def _hold(self) -> bool:
        """Connect and stay until the connection is dead; True when it ever lived. Raises `ChatError`."""
        address = await self._address()
        handler = AsyncSocketModeHandler(
            self._app,
            self._options.app_token,
            logger=LIBRARY_LOG,
            web_client=self._client,
            ping_interval=self._options.timing.ping_s,
        )
        greeting = _Greeting()
        handler.client.message_listeners.append(greeting.listen)
        try:
            handler.client.wss_uri = address
            async with asyncio.timeout(self._options.timing.hello_s):
                await handler.client.connect()  # type: ignore[no-untyped-call]
                await greeting.came.wait()
            self._log.info("slack-connected")
            await self._watch(handler.client, greeting)
        finally:
            self.is_alive = False
            await _close(handler)
        return True

    async def _address(self) -> str:
        try:
            response = await self._client.apps_connections_open(app_token=self._options.app_token)
        except TROUBLE as error:
            raise chat_error(error, "apps.connections.open") from error
        return str(response["url"])

    async def _watch(self, client: SocketModeClient, greeting: _Greeting) -> None:
        """Return when the connection has been down for too long."""
        timing = self._options.timing
        loop = asyncio.get_running_loop()
        seen_alive = loop.time()
        while loop.time() - seen_alive < timing.dead_s:
            self.is_alive = await client.is_connected() and greeting.session is client.current_session
            if self.is_alive:
                seen_alive = loop.time()
            await asyncio.sleep(timing.watch_s)
        self._log.warning("slack-connection-dead", seconds=timing.dead_s)


class _Greeting:
    """Notes on which connection Slack said hello."""

    def __init__(self) -> None:
        self.came = asyncio.Event()
        self.session: object = None

    async def listen(self, client: Any, message: dict[str, Any], _raw: str | None) -> None:  # noqa: ANN401
        """Hear a frame; the library calls this for each."""
        if message.get("type") == "hello":
            self.session = client.current_session
            self.came.set()


async def _close(handler: AsyncSocketModeHandler) -> None:
    """End a handler with all its tasks, also when nobody answers at the other end."""
    client = handler.client
    client.closed = True
    with suppress(TimeoutError, *TROUBLE):
        async with asyncio.timeout(_FAREWELL_S):
            await client.close()  # type: ignore[no-untyped-call]
    tasks = [client.message_processor, client.current_session_monitor, client.message_receiver]
    running = [task for task in tasks if task is not None]
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    await client.aiohttp_client_session.close()
