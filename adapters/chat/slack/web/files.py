"""Files: read from Slack with the bot's token, and put there in three steps. Not for what is in them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

import aiohttp

from adapters.chat.errors import (
    ChatError,
    FileGoneError,
    FileTooLargeError,
    NotAllowedError,
    UnreachableError,
)
from adapters.chat.slack.options import NAME
from adapters.chat.slack.web.faults import RefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from adapters.chat.interface import Attachment, File
    from adapters.chat.slack.web.api import Api

_CHUNK = 1 << 16
_REDIRECTS = 3
_MOVED = {301, 302, 303, 307, 308}
_GONE = {"file_not_found", "file_deleted"}
_SCOPE = "files:read and install the app again"


@dataclass(frozen=True, slots=True)
class Uploaded:
    """A file that Slack has and nobody sees yet."""

    id: str
    title: str


async def fetch(api: Api, file: File, into: Path, limit_bytes: int) -> None:
    """Write the bytes of a file. Raises `FileGoneError`, `FileTooLargeError` or another `ChatError`.

    Slack is asked for the address each time: addresses are not kept, and files of other companies come
    with nothing but an id.
    """
    about = await _about(api, file)
    if isinstance(about.get("size"), int) and about["size"] > limit_bytes:
        raise FileTooLargeError(NAME, file.name, limit_bytes)
    url = str(about.get("url_private_download") or about.get("url_private") or "")
    if about.get("is_external") or not api.options.is_own(url):
        # The token must not go there, and what lies there is not Slack's to show.
        raise FileGoneError(NAME, file.name)
    is_page = str(about.get("mimetype") or "").startswith("text/html")
    try:
        await _download(api, url, _Target(file, into, limit_bytes, is_page))
    except (aiohttp.ClientError, TimeoutError) as error:
        raise UnreachableError(NAME, f"reading the file {file.name}") from error


@dataclass(frozen=True, slots=True)
class _Target:
    file: File
    into: Path
    limit_bytes: int
    is_page: bool


async def _about(api: Api, file: File) -> Mapping[str, Any]:
    try:
        answer = await api.call(api.client.files_info, file=file.id)
    except RefusedError as error:
        if error.code in _GONE:
            raise FileGoneError(NAME, file.name) from error
        raise
    about = answer.get("file") or {}
    if about.get("mode") in {"tombstone", "hidden_by_limit"}:
        raise FileGoneError(NAME, file.name)
    return about


async def _download(api: Api, url: str, target: _Target) -> None:
    headers = {"Authorization": f"Bearer {api.options.bot_token}"}
    for _ in range(_REDIRECTS):
        async with api.session.get(url, headers=headers, allow_redirects=False) as response:
            if response.status in _MOVED:
                url = urljoin(url, response.headers.get("Location", ""))
                if not api.options.is_own(url):
                    raise NotAllowedError(NAME, f"the file {target.file.name} lies elsewhere", _SCOPE)
                continue
            _judge(response, target)
            await _write(response, target)
            return
    raise UnreachableError(NAME, f"reading the file {target.file.name}")


def _judge(response: aiohttp.ClientResponse, target: _Target) -> None:
    """Raise unless the bytes of the file follow."""
    if response.status in {404, 410}:
        raise FileGoneError(NAME, target.file.name)
    if response.status in {401, 403} or (response.content_type == "text/html" and not target.is_page):
        # Without the scope Slack answers with its page for signing in, as if all were well.
        raise NotAllowedError(NAME, f"the file {target.file.name} was not shown", _SCOPE)
    if response.status != 200:
        raise UnreachableError(NAME, f"reading the file {target.file.name}")


async def _write(response: aiohttp.ClientResponse, target: _Target) -> None:
    size = 0
    with target.into.open("wb") as out:
        async for chunk in response.content.iter_chunked(_CHUNK):
            size += len(chunk)
            if size > target.limit_bytes:
                raise FileTooLargeError(NAME, target.file.name, target.limit_bytes)
            await asyncio.to_thread(out.write, chunk)


async def upload(api: Api, attachments: Sequence[Attachment]) -> tuple[Uploaded, ...]:
    """Hand files to Slack without showing them. Raises `ChatError`."""
    return tuple([await _upload(api, one) for one in attachments if one.text])


async def _upload(api: Api, attachment: Attachment) -> Uploaded:
    data = attachment.text.encode("utf-8", "replace")
    method = api.client.files_getUploadURLExternal
    place = await api.call(method, filename=attachment.name, length=len(data))
    url = str(place.get("upload_url") or "")
    if not api.options.is_own(url):
        raise ChatError(NAME, "the address to upload to is not Slack's", "Try again.")
    try:
        async with api.session.post(url, data=data, allow_redirects=False) as response:
            if response.status != 200:
                raise UnreachableError(NAME, f"uploading {attachment.name}")
    except (aiohttp.ClientError, TimeoutError) as error:
        raise UnreachableError(NAME, f"uploading {attachment.name}") from error
    return Uploaded(str(place["file_id"]), attachment.name)


async def share(api: Api, files: Sequence[Uploaded], channel: str, thread: str) -> None:
    """Show uploaded files in a thread. Raises `ChatError`."""
    shown = [{"id": file.id, "title": file.title} for file in files]
    method = api.client.files_completeUploadExternal
    await api.call(method, files=shown, channel_id=channel, thread_ts=thread)
