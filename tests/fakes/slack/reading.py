"""What people read: blocks turned into plain text, buttons and files found, as the shared record `Seen`."""

from typing import Any

from tests.fakes.slack.escaping import pinged_by_blocks, pinged_by_text, unescape
from tests.fakes.slack.records import Message, Payload


def readable(payload: Payload) -> str:
    """All text on the screen, entities resolved; blocks hide `text` as Slack's clients do."""
    parts = [block_text(block) for block in payload.get("blocks") or []]
    if not parts:
        parts = [unescape(str(payload.get("text", "")))]
    for attachment in payload.get("attachments") or []:
        parts.append(readable(attachment))
    return "\n".join(part for part in parts if part)


def block_text(block: Payload) -> str:
    """The readable text of one block or view block."""
    kind = block.get("type")
    if kind == "rich_text":
        return "".join(_rich(element) for element in block.get("elements", [])).removesuffix("\n")
    if kind == "table":
        return "\n".join(" | ".join(_cell(cell) for cell in row) for row in block.get("rows", []))
    texts = [block.get("text"), block.get("label"), block.get("hint"), *block.get("fields", [])]
    if kind == "context":
        texts += block.get("elements", [])
    return "\n".join(filter(None, (_object(text) for text in texts)))


def buttons(payload: Payload) -> list[Payload]:
    """Every button of a message, in order, each with its `block_id`."""
    found = []
    for block in payload.get("blocks") or []:
        elements = (
            block.get("elements", []) if block.get("type") == "actions" else [block.get("accessory") or {}]
        )
        found += [
            {**one, "block_id": block.get("block_id")} for one in elements if one.get("type") == "button"
        ]
    return found


def choices(payload: Payload) -> list[Payload]:
    """Every list to choose from, in order, each with its `block_id`."""
    return [
        {**one, "block_id": block.get("block_id")}
        for block in payload.get("blocks") or []
        if block.get("type") == "actions"
        for one in block.get("elements", [])
        if one.get("type") == "static_select"
    ]


def pings(message: Message) -> set[str]:
    """Ids and broadcast words that this message notifies; `text` counts even beside blocks."""
    payload = message.payload
    link_names = bool(payload.get("link_names")) or payload.get("parse") == "full"
    return pinged_by_text(message.text, link_names=link_names) | pinged_by_blocks(payload.get("blocks") or [])


def _object(text: Any) -> str:
    if isinstance(text, str):  # the markdown block holds its text directly
        return unescape(text)
    if not isinstance(text, dict):
        return ""
    content = str(text.get("text", ""))
    return content if text.get("type") == "plain_text" else unescape(content)


def _cell(cell: Payload) -> str:
    return block_text(cell) if cell.get("type") == "rich_text" else str(cell.get("text", ""))


def _rich(element: Payload) -> str:
    kind = element["type"]
    inner = "".join(_rich(one) for one in element.get("elements", []))
    if kind == "rich_text_preformatted":
        return f"```\n{inner}\n```\n"
    if kind == "rich_text_list":
        return "".join(f"• {_rich(one)}\n" for one in element["elements"])
    if kind in ("rich_text_section", "rich_text_quote"):
        return inner if inner.endswith("\n") else inner + "\n"
    leaves = {
        "text": str(element.get("text", "")),
        "link": str(element.get("text") or element.get("url")),
        "emoji": f":{element.get('name')}:",
        "user": f"<@{element.get('user_id')}>",
        "usergroup": f"<!subteam^{element.get('usergroup_id')}>",
        "channel": f"<#{element.get('channel_id')}>",
        "broadcast": f"<!{element.get('range')}>",
    }
    return leaves.get(kind, "")
