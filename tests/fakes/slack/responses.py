"""What hangs on a command, click or form: triggers, response URLs, and the answer inside an ack."""

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from aiohttp import web

from tests.fakes.clock import Clock
from tests.fakes.slack.delivery.dispatcher import Delivery
from tests.fakes.slack.escaping import stored
from tests.fakes.slack.limits import RefusedError, check_blocks, check_view
from tests.fakes.slack.records import Account, Message, OpenView, Payload

if TYPE_CHECKING:
    from tests.fakes.slack.channel import Channel
    from tests.fakes.slack.workspace import Workspace

_TRIGGER_LIVES_S = 3.0
_URL_LIVES_S = 30 * 60
_URL_USES = 5


@dataclass
class Trigger:
    """The right to open one form, within three seconds of the workspace's clock."""

    account: Account
    channel_id: str
    made_at: float
    used: bool = False


class Triggers:
    """All trigger ids ever given out."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._given: dict[str, Trigger] = {}

    def new(self, account: Account, channel: Any) -> str:
        trigger_id = f"{len(self._given) + 1}.fake.trigger"
        self._given[trigger_id] = Trigger(account, channel.id if channel else "", self._clock.now())
        return trigger_id

    def use(self, trigger_id: str) -> Trigger:
        """Raises `RefusedError`: unknown, too late, or already used."""
        trigger = self._given.get(trigger_id)
        if trigger is None:
            raise RefusedError("invalid_trigger_id")
        if trigger.used:
            raise RefusedError("exchanged_trigger_id")
        if self._clock.now() - trigger.made_at > _TRIGGER_LIVES_S:
            raise RefusedError("expired_trigger_id")
        trigger.used = True
        return trigger


@dataclass
class _ResponseUrl:
    channel: "Channel"
    account: Account
    made_at: float
    message: Message | None
    uses: int = 0


class Responses:
    """Keeps the triggers and response URLs of a workspace and shows what comes back through them."""

    def __init__(self, workspace: "Workspace") -> None:
        self.triggers = Triggers(workspace.clock)
        self._workspace = workspace
        self._urls: dict[str, _ResponseUrl] = {}
        self._numbers = itertools.count(1)
        self._view_ids = itertools.count(1)

    def response_url(self, channel: "Channel", account: Account, message: Message | None = None) -> str:
        """An address good for five answers within 30 minutes."""
        token = f"response-{next(self._numbers)}"
        self._urls[token] = _ResponseUrl(channel, account, self._workspace.clock.now(), message)
        return f"{self._workspace.base_url}actions/{token}"

    async def handle(self, request: web.Request) -> web.Response:
        """POST /actions/{token}."""
        url = self._urls.get(request.match_info["token"])
        if url is None or self._workspace.clock.now() - url.made_at > _URL_LIVES_S:
            return web.Response(status=404, text="expired_url")
        if url.uses >= _URL_USES:
            return web.Response(status=404, text="used_url")
        url.uses += 1
        try:
            self._show(await request.json(), url)
        except RefusedError as refused:
            return web.json_response({"ok": False, "error": refused.code}, status=400)
        return web.Response(text="ok")

    def open_view(self, view: Payload, trigger: Trigger) -> OpenView:
        """A modal appears on the screen of whoever caused the trigger."""
        check_view(view)
        opened = OpenView(self._completed(view), trigger.account, trigger.channel_id)
        self._workspace.views.append(opened)
        self._workspace.watch.notify()
        return opened

    def update_view(self, opened: OpenView, view: Payload) -> None:
        """Other content for an open modal; its id stays."""
        check_view(view)
        opened.payload = {
            **self._completed(view),
            "id": opened.payload["id"],
            "root_view_id": opened.payload["id"],
        }
        self._workspace.watch.notify()

    def command_answered(self, delivery: Delivery) -> None:
        """The acknowledgement of a command may itself be the answer; too late, the person sees an error."""
        payload = delivery.payload
        channel = self._workspace.by_id(payload["channel_id"])
        account = self._workspace.by_id(payload["user_id"])
        error = "" if delivery.acked else "operation_timeout"
        if delivery.response:
            try:
                self._show(delivery.response, _ResponseUrl(channel, account, 0, None))
            except RefusedError:
                error = "invalid_command_response"
        if error:
            text = f"{payload['command']} failed with the error '{error}'"
            slackbot = Account("USLACKBOT", "slackbot")
            shown = {"type": "message", "text": text, "user": slackbot.id}
            self._workspace.keep(Message(shown, channel.id, slackbot, private_to=account.name), channel)

    def form_answered(self, view: OpenView, delivery: Delivery) -> None:
        """`response_action` of a submission: errors keep the form open, nothing closes it."""
        response = delivery.response or {}
        action = response.get("response_action")
        if not delivery.acked:
            view.errors = {"": "We had some trouble connecting. Try again?"}
        elif action == "errors":
            view.errors = dict(response["errors"])
        elif action in ("update", "push"):
            try:
                self.update_view(view, response["view"])
            except RefusedError as refused:
                view.errors = {"": str(refused)}
        else:
            view.closed = True
        self._workspace.watch.notify()

    def _show(self, body: Payload, url: _ResponseUrl) -> None:
        if body.get("blocks"):
            check_blocks(body["blocks"])
        if url.message and (body.get("replace_original") or body.get("delete_original")):
            self._replace(url.message, body)
            return
        if not (body.get("text") or body.get("blocks")):
            raise RefusedError("no_text")
        account = self._workspace.accounts["vllm-triage"]
        private_to = None if body.get("response_type") == "in_channel" else url.account.name
        payload: Payload = {
            "type": "message",
            "subtype": "bot_message",
            "text": stored(body.get("text", "")),
            "bot_id": account.bot_id,
        }
        payload |= {key: body[key] for key in ("blocks", "attachments", "thread_ts") if key in body}
        self._workspace.keep(Message(payload, url.channel.id, account, private_to=private_to), url.channel)

    def _replace(self, message: Message, body: Payload) -> None:
        if body.get("delete_original"):
            message.deleted = True
        else:
            message.payload |= {"text": stored(body.get("text", "")), "blocks": body.get("blocks", [])}
            message.edits += 1
        self._workspace.watch.notify()

    def _completed(self, view: Payload) -> Payload:
        number = next(self._view_ids)
        blocks = [{"block_id": f"b{number}-{place}", **block} for place, block in enumerate(view["blocks"])]
        for place, block in enumerate(blocks):
            if block["type"] == "input":
                blocks[place] = {**block, "element": {"action_id": f"a{number}-{place}", **block["element"]}}
        defaults = {
            "private_metadata": "",
            "callback_id": "",
            "close": None,
            "submit": None,
            "notify_on_close": False,
        }
        made = {
            "id": f"V{number:07d}",
            "hash": f"{number}.hash",
            "team_id": "T0FAKE",
            "bot_id": "B0TRIAGE",
            "app_id": "A0TRIAGE",
            "state": {"values": {}},
        }
        return {**defaults, **view, **made, "blocks": blocks}
