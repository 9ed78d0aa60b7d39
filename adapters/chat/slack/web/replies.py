"""Our replies in Slack: posted once, found again, changed. Not for reading what others say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import structlog

from adapters.chat.errors import CannotTellError, ChatError, NotAllowedError, UnreachableError
from adapters.chat.interface import MessageRef, Visibility
from adapters.chat.slack.inbound import Handle, asked_at, is_ts
from adapters.chat.slack.options import NAME
from adapters.chat.slack.render import Rendered, render
from adapters.chat.slack.web.faults import RefusedError
from adapters.chat.slack.web.files import Uploaded, share, upload

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from adapters.chat.interface import Place, Reply
    from adapters.chat.slack.web.api import Api

#: `event_type` of the metadata that every reply carries
_METADATA = "reply_shown"
_PAGE = 200
_PAGES = 20
_NO_THREAD = "thread_not_found"
_PRIVATE = "private-"


@dataclass(frozen=True, slots=True)
class _Ready:
    """A reply as it goes to Slack, with files that nobody sees yet."""

    rendered: Rendered
    files: tuple[Uploaded, ...]
    metadata: dict[str, Any]

    def content(self) -> dict[str, Any]:
        """Return the arguments that posting and changing have in common."""
        return {"text": self.rendered.text, "blocks": self.rendered.blocks, "metadata": self.metadata}


class Replies:
    """Posts, finds and changes what the bot says."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._client = api.client
        self._log = structlog.get_logger(__name__)

    async def post(self, place: Place, reply: Reply) -> MessageRef:
        """Show a reply in its thread, or to one person. Raises `ChatError`."""
        if reply.visibility is Visibility.PRIVATE and _can_whisper(place, reply.recipient):
            return await self._whisper(place, reply)
        handle = Handle.parse(reply.handle)
        aside = f"{handle.asked_by}: {self._api.options.command}" if handle.asked_by else ""
        ready = await self._prepare(reply, aside)
        async with self._api.turn(place.channel):
            try:
                return await self._say(place, ready)
            except NotAllowedError:
                # Commands and shortcuts also work where the bot is no member: then only who asked sees it.
                if not handle.url:
                    raise
        await self._respond(handle.url, ready.rendered)
        return MessageRef(place, f"{_PRIVATE}{reply.id}")

    async def find(self, place: Place, reply_id: str) -> MessageRef | None:
        """Return our reply with this id if the place shows it; finishes what was not finished.

        What only one person sees is in no history, so it is never found. Raises `CannotTellError` without the
        right to read there, or another `ChatError`.
        """
        found: Mapping[str, Any] | None = None
        shown: set[str] = set()
        async for message in self._messages(place):
            metadata = message.get("metadata") or {}
            if metadata.get("event_type") == _METADATA and _payload(metadata).get("reply") == reply_id:
                found = message
            shown.update(_file_ids(message))
            if found is not None and not (_files(found) and is_ts(place.thread)):
                break
        if found is None:
            return None
        ref = MessageRef(place, str(found["ts"]))
        await self._finish(ref, _files(found), shown)
        return ref

    async def _finish(self, ref: MessageRef, files: Sequence[Uploaded], shown: set[str]) -> None:
        """Show the files of a reply that nobody sees yet."""
        thread = _thread(ref.place, ref.id)
        if files and not is_ts(ref.place.thread):
            async for message in self._messages(replace(ref.place, thread=thread)):
                shown.update(_file_ids(message))
        missing = [file for file in files if file.id not in shown]
        if missing:
            await share(self._api, missing, ref.place.channel, thread)

    async def edit(self, ref: MessageRef, reply: Reply) -> None:
        """Show another card in place of one of ours. Raises `ChatError`."""
        if not is_ts(ref.id):
            permission = "the bot membership: invite it to the channel"
            raise NotAllowedError(NAME, "what only one person sees cannot be changed", permission)
        ready = await self._prepare(reply)
        channel = ref.place.channel
        async with self._api.turn(channel):
            await self._api.call(self._client.chat_update, channel=channel, ts=ref.id, **ready.content())
            if ready.files:
                await share(self._api, ready.files, channel, _thread(ref.place, ref.id))

    async def _prepare(self, reply: Reply, aside: str = "") -> _Ready:
        files: tuple[Uploaded, ...] = ()
        try:
            files = await upload(self._api, reply.card.attachments)
        except UnreachableError as error:
            error.may_be_out = False
            raise
        except NotAllowedError as error:
            # An answer without its file is better than none.
            self._log.warning("file-not-attached", error=str(error))
        rendered = render(reply.card, self._api.options.pages_url, aside)
        names = [f"{file.id} {file.title}" for file in files]
        payload = {"reply": reply.id, **({"files": names} if names else {})}
        return _Ready(rendered, files, {"event_type": _METADATA, "event_payload": payload})

    async def _say(self, place: Place, ready: _Ready) -> MessageRef:
        answer = await self._api.call(
            self._client.chat_postMessage,
            channel=place.channel,
            thread_ts=place.thread if is_ts(place.thread) else None,
            unfurl_links=False,
            unfurl_media=False,
            **ready.content(),
        )
        ref = MessageRef(place, str(answer["ts"]))
        if ready.files:
            await share(self._api, ready.files, place.channel, _thread(place, ref.id))
        return ref

    async def _whisper(self, place: Place, reply: Reply) -> MessageRef:
        """Show a reply to one person only."""
        rendered = render(reply.card, self._api.options.pages_url)
        handle = Handle.parse(reply.handle)
        if handle.url:
            try:
                await self._respond(handle.url, rendered)
                return MessageRef(place, f"{_PRIVATE}{reply.id}")
            except ChatError as error:
                # The address is good for half an hour; what waited longer goes the other way.
                self._log.info("response-url-refused", error=str(error))
        thread = place.thread if await self._has_replies(place) else None
        async with self._api.turn(place.channel):
            await self._api.call(
                self._client.chat_postEphemeral,
                channel=place.channel,
                user=str(reply.recipient),
                thread_ts=thread,
                text=rendered.text,
                blocks=rendered.blocks,
            )
        return MessageRef(place, f"{_PRIVATE}{reply.id}")

    async def _respond(self, url: str, rendered: Rendered) -> None:
        body = {"response_type": "ephemeral", "replace_original": False, "unfurl_links": False}
        await self._api.respond(url, {**body, "text": rendered.text, "blocks": rendered.blocks})

    async def _has_replies(self, place: Place) -> bool:
        """Tell whether a thread has begun: in one that has not, nobody would see a private message."""
        if not is_ts(place.thread):
            return False
        method = self._client.conversations_replies
        try:
            answer = await self._api.call(method, channel=place.channel, ts=place.thread, limit=1)
        except ChatError:
            return False
        messages = answer.get("messages") or [{}]
        return bool(messages[0].get("reply_count"))

    async def _messages(self, place: Place) -> AsyncIterator[Mapping[str, Any]]:
        """Yield the messages of a thread, or of a channel since a command was given there."""
        client, cursor = self._client, ""
        method: Any = client.conversations_history
        where: dict[str, Any] = {"channel": place.channel, "oldest": asked_at(place.thread)}
        if is_ts(place.thread):
            method, where = client.conversations_replies, {"channel": place.channel, "ts": place.thread}
        for _ in range(_PAGES):
            page = {"include_all_metadata": True, "limit": _PAGE, "cursor": cursor or None}
            try:
                answer = await self._api.call(method, **where, **page)
            except RefusedError as error:
                if error.code != _NO_THREAD:
                    raise
                return
            except NotAllowedError as error:
                raise CannotTellError(NAME, error.permission) from error
            for message in answer.get("messages") or []:
                yield message
            cursor = str((answer.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                return


def _can_whisper(place: Place, recipient: str | None) -> bool:
    """Tell whether there is somebody to whisper to: no bot, and not where only one person listens anyway."""
    return (recipient or "").startswith(("U", "W")) and not place.channel.startswith("D")


def _thread(place: Place, message: str) -> str:
    return str(place.thread) if is_ts(place.thread) else message


def _payload(metadata: Mapping[str, Any]) -> Mapping[str, Any]:
    payload = metadata.get("event_payload")
    return payload if isinstance(payload, dict) else {}


def _file_ids(message: Mapping[str, Any]) -> set[str]:
    return {str(file.get("id")) for file in message.get("files") or []}


def _files(message: Mapping[str, Any]) -> list[Uploaded]:
    names = _payload(message.get("metadata") or {}).get("files") or []
    pairs = [str(name).partition(" ") for name in names]
    return [Uploaded(file, title) for file, _, title in pairs]
