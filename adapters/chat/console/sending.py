"""What the page sends, read piece by piece and within limits. Not for what becomes of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from aiohttp import BodyPartReader, web

from adapters.chat.errors import FileTooLargeError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from adapters.chat.console.uploads import Uploads
    from adapters.chat.interface import File

_CHUNK = 1 << 16


class RefusedError(Exception):
    """The page sent something that is not taken; `code` names the sentence that the page shows."""

    def __init__(self, code: str, status: int, **values: int | str) -> None:
        super().__init__(f"{code} {values}" if values else code)
        self.code = code
        self.status = status
        self.values = values


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one message may hold."""

    text_bytes: int = 1 << 20
    field_bytes: int = 300
    files: int = 5


@dataclass(slots=True)
class Sent:
    """One message as the page sent it."""

    values: dict[str, str] = field(default_factory=dict)
    files: list[File] = field(default_factory=list)


async def read_sent(request: web.Request, uploads: Uploads, limits: Limits) -> Sent:
    """Return the fields and files of a multipart request. Raises `RefusedError`; then no file is kept."""
    if not request.content_type.startswith("multipart/"):
        raise RefusedError("not-a-form", 415)
    sent = Sent()
    try:
        reader = await request.multipart()
        while (part := await reader.next()) is not None:
            if not isinstance(part, BodyPartReader) or not part.name:
                raise RefusedError("not-a-form", 400)  # noqa: TRY301
            await _read_part(part, part.name, sent, uploads, limits)
    except BaseException as error:
        for file in sent.files:
            uploads.forget(file)
        if isinstance(error, FileTooLargeError):
            raise RefusedError("file-too-large", 413, limit=error.limit_bytes, name=error.name) from error
        if isinstance(error, (ValueError, AssertionError)):
            raise RefusedError("not-a-form", 400) from error
        raise
    return sent


async def _read_part(part: BodyPartReader, name: str, sent: Sent, uploads: Uploads, limits: Limits) -> None:
    if part.filename is not None:
        if len(sent.files) >= limits.files:
            raise RefusedError("too-many-files", 413, limit=limits.files)
        media_type = part.headers.get("Content-Type")
        sent.files.append(await uploads.receive(part.filename, media_type, _chunks(part)))
        return
    limit = limits.text_bytes if name == "text" else limits.field_bytes
    data = bytearray()
    async for chunk in _chunks(part):
        data += chunk
        if len(data) > limit:
            code = "text-too-long" if name == "text" else "field-too-long"
            raise RefusedError(code, 413, limit=limit)
    sent.values[name] = data.decode("utf-8", "replace")


async def _chunks(part: BodyPartReader) -> AsyncIterator[bytes]:
    while chunk := await part.read_chunk(_CHUNK):
        yield chunk
