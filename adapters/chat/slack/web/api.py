"""Requests to Slack's Web API: one session, limits on the rate, errors as every platform raises them.

Not for what is asked. A request whose answer got lost is never repeated here: what it did may be done.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import aiohttp
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from adapters.chat.errors import ChatError, UnreachableError
from adapters.chat.slack.options import NAME
from adapters.chat.slack.web.faults import TROUBLE, chat_error

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

    from slack_sdk.web.async_slack_response import AsyncSlackResponse

    from adapters.chat.slack.options import SlackOptions


def _without_trace(record: logging.LogRecord) -> bool:
    """Leave the sentence of a record and take its trace: an outage is not a fault of the program."""
    record.exc_info = record.exc_text = None
    return True


#: what the libraries log; they show whole requests when asked for details, so they are not asked
LIBRARY_LOG = logging.getLogger("adapters.chat.slack.library")
LIBRARY_LOG.setLevel(logging.WARNING)
LIBRARY_LOG.addFilter(_without_trace)


def web_client(options: SlackOptions, token: str | None) -> AsyncWebClient:
    """Return a client of the Web API that waits when Slack wants it to; it is not connected to anything yet."""
    return AsyncWebClient(
        token=token,
        base_url=options.base_url,
        timeout=int(options.timing.request_s),
        logger=LIBRARY_LOG,
        retry_handlers=[AsyncRateLimitErrorRetryHandler(max_retry_count=options.rate_limit_tries)],
    )


@dataclass(slots=True)
class _Queue:
    """Who writes into a channel, and how many want to."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    length: int = 0


class Api:
    """The Web API with the bot's token. Opened by the first request, closed once for good."""

    def __init__(self, options: SlackOptions) -> None:
        self.options = options
        self.client = web_client(options, options.bot_token)
        self._session: aiohttp.ClientSession | None = None
        self._is_closed = False
        self._queues: dict[str, _Queue] = {}

    @property
    def session(self) -> aiohttp.ClientSession:
        """Return the session of all requests. Raises `UnreachableError` once closed."""
        if self._is_closed:
            raise UnreachableError(NAME, "a request while the bot ends")
        if self._session is None:
            timeout = aiohttp.ClientTimeout(total=self.options.timing.request_s)
            self._session = aiohttp.ClientSession(timeout=timeout)
            self.client.session = self._session
        return self._session

    async def call(
        self,
        method: Callable[..., Awaitable[AsyncSlackResponse]],
        **arguments: Any,  # noqa: ANN401 (as wide as the Web API)
    ) -> Mapping[str, Any]:
        """Return what Slack answers to a method of `client`. Raises `ChatError`."""
        _ = self.session
        try:
            response = await method(**arguments)
        except TROUBLE as error:
            raise chat_error(error, method.__name__.replace("_", ".")) from error
        return response.data if isinstance(response.data, dict) else {}

    @asynccontextmanager
    async def turn(self, channel: str) -> AsyncIterator[None]:
        """Wait for one's turn to write into a channel; whoever came first writes first."""
        queue = self._queues.setdefault(channel, _Queue())
        queue.length += 1
        try:
            async with queue.lock:
                yield
        finally:
            queue.length -= 1
            if not queue.length:
                del self._queues[channel]

    async def respond(self, url: str, body: dict[str, Any]) -> None:
        """Answer a command, form, shortcut or click through its `response_url`. Raises `ChatError`."""
        if not self.options.is_own(url):
            raise ChatError(NAME, "the address to answer to is not Slack's", "Ask again.")
        retries = [AsyncRateLimitErrorRetryHandler(max_retry_count=self.options.rate_limit_tries)]
        client = AsyncWebhookClient(
            url, session=self.session, logger=LIBRARY_LOG, retry_handlers=list(retries)
        )
        try:
            response = await client.send_dict(body)
        except TROUBLE as error:
            raise UnreachableError(NAME, "response_url") from error
        if response.status_code >= 500:
            raise UnreachableError(NAME, "response_url")
        if response.status_code != 200:
            raise ChatError(NAME, f"response_url was refused ({response.status_code})", "Ask again.")

    async def close(self) -> None:
        """End every request."""
        self._is_closed = True
        if self._session is not None:
            await self._session.close()
