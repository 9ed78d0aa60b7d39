"""A tiny bot on the real slack_bolt that tests the fake: it repeats, opens a form, answers clicks."""

import asyncio
import logging

import aiohttp
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from tests.fakes.slack.records import SlackAddresses
from tests.fakes.watch import Watch

#: short, so that a cut connection is noticed soon; under heavy load pongs come too late for it
PING_S = 1.0

FORM = {
    "type": "modal",
    "callback_id": "paste",
    "title": {"type": "plain_text", "text": "Diagnose"},
    "submit": {"type": "plain_text", "text": "Send"},
    "blocks": [
        {
            "type": "input",
            "block_id": "log",
            "label": {"type": "plain_text", "text": "Log"},
            "element": {"type": "plain_text_input", "action_id": "text", "multiline": True},
        },
        {
            "type": "input",
            "block_id": "file",
            "optional": True,
            "label": {"type": "plain_text", "text": "File"},
            "element": {"type": "file_input", "action_id": "file"},
        },
    ],
}
AGAIN = {
    "type": "actions",
    "elements": [
        {
            "type": "button",
            "action_id": "again",
            "value": "1",
            "text": {"type": "plain_text", "text": "Again"},
        },
    ],
}


class SlackEchoBot:
    """Implements `RunningBot`. `heard` holds every event, also repeated ones."""

    def __init__(self, addresses: SlackAddresses) -> None:
        self.events_url: str | None = None
        self.heard: list[dict] = []
        self.retries: list[str | None] = []
        self.watch = Watch(lambda: f"{len(self.heard)} events, retries {self.retries}")
        self.client = AsyncWebClient(token=addresses.bot_token, base_url=addresses.api_url)
        self.client.retry_handlers.append(AsyncRateLimitErrorRetryHandler(max_retry_count=3))
        self.app = AsyncApp(client=self.client, signing_secret=addresses.signing_secret)
        self.app.logger.setLevel(logging.CRITICAL)
        self._addresses = addresses
        self._runner: web.AppRunner | None = None
        self._sockets: AsyncSocketModeHandler | None = None
        self.acknowledges = True
        self._register()

    @classmethod
    async def start(cls, addresses: object) -> "SlackEchoBot":
        assert isinstance(addresses, SlackAddresses)
        bot = cls(addresses)
        await (bot._dial() if addresses.mode == "socket" else bot._listen())
        return bot

    async def stop(self) -> None:
        if self._sockets:
            await self._sockets.close_async()
        if self._runner:
            await self._runner.cleanup()

    async def kill(self) -> None:
        await self.stop()

    async def idle(self) -> None:
        await asyncio.sleep(0)

    async def _dial(self) -> None:
        client = AsyncWebClient(token=self._addresses.app_token, base_url=self._addresses.api_url)
        self._sockets = AsyncSocketModeHandler(
            self.app,
            self._addresses.app_token,
            logger=self.app.logger,
            web_client=client,
            ping_interval=PING_S,
        )
        await self._sockets.connect_async()

    async def _listen(self) -> None:
        async def handle(request: web.Request) -> web.Response:
            return await to_aiohttp_response(await self.app.async_dispatch(await to_bolt_request(request)))

        application = web.Application()
        application.router.add_post("/slack/events", handle)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.events_url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/slack/events"

    def _register(self) -> None:
        app = self.app

        @app.middleware
        async def note(req, next_):
            self.retries.append((req.headers.get("x-slack-retry-num") or [None])[0])
            self.watch.notify()
            if self.acknowledges:
                await next_()

        @app.event("app_mention")
        async def mentioned(event):
            self.heard.append(event)

        @app.event({"type": "message"})
        async def said(event, client):
            self.heard.append(event)
            if event.get("subtype") in (None, "file_share", "bot_message") and "hidden" not in event:
                await self._repeat(event, client)

        @app.command("/vllm-diagnose")
        async def command(ack, body, client, respond):
            await ack()
            if body["text"]:
                await respond(f"you said {body['text']}")
            else:
                await client.views_open(trigger_id=body["trigger_id"], view=FORM)

        @app.view("paste")
        async def submitted(ack, body, client):
            log = body["view"]["state"]["values"]["log"]["text"]["value"]
            if log == "nonsense":
                await ack(response_action="errors", errors={"log": "that is no log"})
                return
            await ack()
            await client.chat_postMessage(channel=self.home, text=f"form: {log}")

        @app.action("again")
        async def pressed(ack, body, client):
            await ack()
            await client.chat_update(
                channel=body["channel"]["id"], ts=body["message"]["ts"], text=f"again, {body['user']['name']}"
            )

        @app.shortcut("vllm_diagnose_message")
        async def shortcut(ack, body, client):
            await ack()
            await client.chat_postEphemeral(
                channel=body["channel"]["id"],
                user=body["user"]["id"],
                text=f"shortcut: {body['message']['text']}",
            )

    home = ""

    async def _repeat(self, event: dict, client: AsyncWebClient) -> None:
        text = event.get("text", "")
        for file in event.get("files", []):
            text += await self._read(file["url_private_download"])
        await client.chat_postMessage(
            channel=event["channel"],
            thread_ts=event.get("thread_ts") or event["ts"],
            text=f"echo: {text}"[:3_000],
            blocks=[{"type": "section", "text": {"type": "mrkdwn", "text": f"echo: {text}"[:2_900]}}, AGAIN],
            metadata={"event_type": "echo", "event_payload": {"of": event["ts"]}},
        )

    async def _read(self, url: str) -> str:
        headers = {"Authorization": f"Bearer {self._addresses.bot_token}"}
        async with aiohttp.ClientSession() as session, session.get(url, headers=headers) as response:
            return await response.text()
