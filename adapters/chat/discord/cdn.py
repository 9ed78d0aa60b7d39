"""Files that came with messages, read from Discord's own servers within limits. Not for their content.

Addresses are signed and end, so for a file of a message only its ids are kept; the address is remembered in
this process, and asked for again when it is not known or has ended.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

import aiohttp
import discord
import structlog

from adapters.chat.discord.inbound import files_of
from adapters.chat.discord.options import NAME
from adapters.chat.discord.refusals import NOT_THERE, asking
from adapters.chat.errors import FileGoneError, FileTooLargeError, UnreachableError

if TYPE_CHECKING:
    from pathlib import Path

    from adapters.chat.discord.gateway.client import Client
    from adapters.chat.discord.options import DiscordOptions
    from adapters.chat.interface import File

_CHUNK = 1 << 16
_MEMORY = 2_000
_GONE = {401, 403, 404, 410}


class Attachments:
    """Where files are, and how to read them."""

    def __init__(self, options: DiscordOptions, client: Client) -> None:
        self._options = options
        self._client = client
        self._addresses: OrderedDict[str, str] = OrderedDict()
        self._log = structlog.get_logger(__name__)

    def note(self, message: discord.Message) -> None:
        """Remember where the files of a message are."""
        for file, attachment in zip(files_of(message), _attachments(message, files_of(message)), strict=True):
            self._addresses[file.id] = attachment.url
            self._addresses.move_to_end(file.id)
        while len(self._addresses) > _MEMORY:
            self._addresses.popitem(last=False)

    async def fetch(self, file: File, into: Path, limit_bytes: int) -> None:
        """Write the bytes of a file. Raises `FileGoneError`, `FileTooLargeError` or another `ChatError`."""
        if file.size_bytes is not None and file.size_bytes > limit_bytes:
            raise FileTooLargeError(NAME, file.name, limit_bytes)
        kind, _, rest = file.id.partition(":")
        known = rest if kind == "address" else self._addresses.get(file.id)
        if known is not None and await self._read(file, known, into, limit_bytes):
            return
        if kind == "message":
            fresh = await self._ask(file, rest)
            if await self._read(file, fresh, into, limit_bytes):
                return
        raise FileGoneError(NAME, file.name)

    async def _ask(self, file: File, where: str) -> str:
        """Return the address that Discord gives a file now."""
        channel, _, rest = where.partition("/")
        message_id = rest.partition("/")[0]
        with asking(f"reading the message of the file {file.name}", "Read Message History there"):
            try:
                message = await self._client.get_partial_messageable(int(channel)).fetch_message(
                    int(message_id)
                )
            except discord.NotFound as error:
                raise FileGoneError(NAME, file.name) from error
        self.note(message)
        if file.id not in self._addresses:
            raise FileGoneError(NAME, file.name)
        return self._addresses[file.id]

    async def _read(self, file: File, url: str, into: Path, limit_bytes: int) -> bool:
        """Write what an address holds; False when it holds nothing any more."""
        if not self._options.is_attachment(url):
            self._log.warning("foreign-address", file=file.name)
            raise FileGoneError(NAME, file.name)
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=10, sock_read=self._options.timing.file_s)
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout, cookie_jar=aiohttp.DummyCookieJar()) as session,
                session.get(url, allow_redirects=False) as response,
            ):
                if response.status in _GONE or 300 <= response.status < 400:
                    return False
                if response.status != 200:
                    raise UnreachableError(NAME, f"reading the file {file.name} ({response.status})")
                await _write(response, file, into, limit_bytes)
        except NOT_THERE as error:
            raise UnreachableError(NAME, f"reading the file {file.name}") from error
        return True


async def _write(response: aiohttp.ClientResponse, file: File, into: Path, limit_bytes: int) -> None:
    size = 0
    with into.open("wb") as target:
        async for chunk in response.content.iter_chunked(_CHUNK):
            size += len(chunk)
            if size > limit_bytes:
                raise FileTooLargeError(NAME, file.name, limit_bytes)
            target.write(chunk)


def _attachments(message: discord.Message, files: tuple[File, ...]) -> list[discord.Attachment]:
    """Return the attachments behind files, in their order."""
    snapshots = [one for snapshot in message.message_snapshots for one in snapshot.attachments]
    by_id = {str(one.id): one for one in (*message.attachments, *snapshots)}
    return [by_id[file.id.rpartition("/")[2]] for file in files]
