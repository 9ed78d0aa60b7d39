"""The readable text and the text files of a message as Slack describes it. Pure. Not for fetching files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adapters.chat.interface import File
from adapters.chat.slack.texts import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Payload = Mapping[str, Any]

#: files of one message that are looked at; Slack lets people attach ten
_FILES_LIMIT = 10
#: kinds of files that hold no text
_NO_TEXT = ("image/", "video/", "audio/", "font/")
_NO_TEXT_TYPES = {
    "application/pdf",
    "application/zip",
    "application/gzip",
    "application/x-gzip",
    "application/x-tar",
    "application/x-7z-compressed",
    "application/x-bzip2",
    "application/x-xz",
    "application/zstd",
}
#: files that are not there any more, or are not Slack's
_NOT_THERE = {"tombstone", "hidden_by_limit", "external"}


def text_of(message: Payload, bot_user: str, *, is_bot: bool) -> str:
    """Return all that a message says, as it looked to whoever wrote it.

    People's text is complete by itself. Bots, and messages that were passed on, say the rest in attachments
    and blocks.
    """
    parts = [str(message.get("text") or "")]
    if is_bot or not parts[0]:
        parts.extend(_in_blocks(message.get("blocks"), with_rich_text=not parts[0]))
    for attachment in message.get("attachments") or []:
        parts.extend(_in_attachment(attachment))
    return plain("\n".join(dict.fromkeys(part for part in parts if part)), bot_user).strip()


def _in_attachment(attachment: Payload) -> Iterator[str]:
    """Yield what an attachment says; a preview of a linked page is not said by anybody."""
    if attachment.get("from_url") and not attachment.get("is_share") and not attachment.get("is_msg_unfurl"):
        return
    said = [str(attachment.get(name) or "") for name in ("pretext", "title", "text")]
    said.extend(
        f"{one.get('title') or ''}: {one.get('value') or ''}" for one in attachment.get("fields") or []
    )
    said.extend(_in_blocks(attachment.get("blocks"), with_rich_text=True))
    if not any(said):
        said = [str(attachment.get("fallback") or "")]
    yield from said


def _in_blocks(blocks: object, *, with_rich_text: bool) -> Iterator[str]:
    """Yield the texts of blocks, one a block; rich text repeats the message's text where there is one."""
    for block in blocks if isinstance(blocks, list) else []:
        if not isinstance(block, dict) or (block.get("type") == "rich_text" and not with_rich_text):
            continue
        yield "".join(_leaves(block)).rstrip("\n")


def _leaves(node: object) -> Iterator[str]:
    """Yield the texts inside a block, with a line break after each piece that stands on its own."""
    if isinstance(node, list):
        for inner in node:
            yield from _leaves(inner)
    if not isinstance(node, dict):
        return
    kind, text = node.get("type"), node.get("text")
    if isinstance(text, str):
        yield text if kind in {"text", "link"} else f"{text}\n"
    elif kind == "link":
        yield str(node.get("url") or "")
    else:
        yield from _leaves(text)
    for name in ("fields", "elements"):
        yield from _leaves(node.get(name))
    if kind in {"rich_text_section", "rich_text_preformatted", "rich_text_quote"}:
        yield "\n"


def files_of(message: Payload) -> tuple[File, ...]:
    """Return the files that may hold text. A file from another company's workspace has nothing but its id."""
    files = [one for one in message.get("files") or [] if isinstance(one, dict) and _may_hold_text(one)]
    return tuple(
        File(
            id=str(one["id"]),
            name=str(one.get("name") or one.get("title") or one["id"]),
            size_bytes=one["size"] if isinstance(one.get("size"), int) else None,
            media_type=str(one["mimetype"]) if one.get("mimetype") else None,
        )
        for one in files[:_FILES_LIMIT]
    )


def _may_hold_text(file: Payload) -> bool:
    if not file.get("id") or file.get("mode") in _NOT_THERE or file.get("is_external"):
        return False
    media_type = str(file.get("mimetype") or "").lower()
    return not media_type.startswith(_NO_TEXT) and media_type not in _NO_TEXT_TYPES
