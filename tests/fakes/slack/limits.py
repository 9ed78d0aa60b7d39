"""Slack's limits on blocks and views, and the words in which it refuses.

Numbers: Block Kit reference, and field reports of `msg_blocks_too_long` (about 13,200 characters in all).
"""

from collections.abc import Iterator
from typing import Any

from tests.fakes.slack.escaping import stored
from tests.fakes.slack.records import Payload

TEXT_TRUNCATED_ABOVE = 40_000
UPDATE_TEXT_BYTES = 4_000
ALL_BLOCKS_CHARACTERS = 13_200
MARKDOWN_CHARACTERS = 12_000
MESSAGE_BLOCKS = 50
VIEW_BLOCKS = 100

_BLOCKS = {
    "section",
    "divider",
    "header",
    "actions",
    "context",
    "image",
    "input",
    "file",
    "rich_text",
    "markdown",
    "video",
    "table",
    "plan",
    "task_card",
    "context_actions",
}
_ID_CHARACTERS = 255
#: text objects by where they stand
_LONGEST = {
    ("section", "text"): 3_000,
    ("header", "text"): 150,
    ("button", "text"): 75,
    ("static_select", "placeholder"): 150,
    ("input", "label"): 2_000,
    ("input", "hint"): 2_000,
    ("option", "text"): 75,
}


class RefusedError(Exception):
    """What Slack answers: an error code and, for blocks, where it went wrong."""

    def __init__(self, code: str, *messages: str, **more: Any) -> None:
        self.code = code
        self.messages = messages
        self.more = more
        super().__init__(f"{code}: {'; '.join(messages)}")


def check_update_text(text: str) -> None:
    """`chat.update` counts bytes after escaping."""
    if len(stored(text).encode()) > UPDATE_TEXT_BYTES:
        raise RefusedError("msg_too_long")


def check_blocks(blocks: Any, most: int = MESSAGE_BLOCKS) -> None:
    """Raise `RefusedError` with `invalid_blocks` or `msg_blocks_too_long` for what Slack would not take."""
    if not isinstance(blocks, list):
        raise RefusedError("invalid_blocks_format")
    problems = list(_problems(blocks, most))
    if problems:
        raise RefusedError("invalid_blocks", *(f"[ERROR] {problem}" for problem in problems))
    if sum(len(text) for text in _texts(blocks)) > ALL_BLOCKS_CHARACTERS:
        raise RefusedError("msg_blocks_too_long")


def check_view(view: Any) -> None:
    """The same for a modal, whose own fields have limits too."""
    if not isinstance(view, dict) or view.get("type") not in ("modal", "home"):
        raise RefusedError(
            "invalid_arguments", "[ERROR] failed to match all allowed schemas [json-pointer:/view]"
        )
    problems = list(_problems(view.get("blocks", []), VIEW_BLOCKS))
    for name, most in (("title", 24), ("submit", 24), ("close", 24)):
        if len((view.get(name) or {}).get("text", "")) > most:
            problems.append(_too_long(most, f"/view/{name}/text"))
    for name, most in (("private_metadata", 3_000), ("callback_id", _ID_CHARACTERS)):
        if len(view.get(name) or "") > most:
            problems.append(_too_long(most, f"/view/{name}"))
    if view["type"] == "modal" and not (view.get("title") or {}).get("text"):
        problems.append("missing required field: title [json-pointer:/view]")
    has_input = any(block.get("type") == "input" for block in view.get("blocks", []))
    if has_input and not view.get("submit"):
        problems.append(
            "`submit` is required when an `input` block is within the `blocks` array [json-pointer:/view]"
        )
    if problems:
        raise RefusedError("invalid_arguments", *(f"[ERROR] {problem}" for problem in problems))


def _too_long(most: int, pointer: str) -> str:
    return f"must be less than {most + 1} characters [json-pointer:{pointer}]"


def _problems(blocks: list[Any], most: int) -> Iterator[str]:
    if len(blocks) > most:
        yield f"no more than {most} items allowed [json-pointer:/blocks]"
    ids = [block["block_id"] for block in blocks if isinstance(block, dict) and block.get("block_id")]
    if len(ids) != len(set(ids)):
        yield "`block_id` must be unique [json-pointer:/blocks]"
    if (
        sum(len(block.get("text", "")) for block in blocks if block.get("type") == "markdown")
        > MARKDOWN_CHARACTERS
    ):
        yield _too_long(MARKDOWN_CHARACTERS, "/blocks")
    for number, block in enumerate(blocks):
        yield from _block_problems(block, f"/blocks/{number}")


def _block_problems(block: Any, at: str) -> Iterator[str]:
    if not isinstance(block, dict) or block.get("type") not in _BLOCKS:
        kind = block.get("type") if isinstance(block, dict) else block
        yield f"unsupported type: {kind} [json-pointer:{at}/type]"
        return
    if block["type"] == "section" and not (block.get("text") or block.get("fields")):
        yield f"missing required field: fields or text [json-pointer:{at}]"
    counts = {"actions": ("elements", 25), "context": ("elements", 10), "section": ("fields", 10)}
    name, most = counts.get(block["type"], ("", 0))
    if name and len(block.get(name) or []) > most:
        yield f"no more than {most} items allowed [json-pointer:{at}/{name}]"
    for number, one in enumerate(block.get("fields") or []):
        if len(one.get("text", "")) > 2_000:
            yield _too_long(2_000, f"{at}/fields/{number}/text")
    yield from _texts_and_ids(block, at)
    inner = [*(block.get("elements") or []), block.get("accessory"), block.get("element")]
    if block["type"] in ("actions", "section", "input"):
        for number, element in enumerate(filter(None, inner)):
            yield from _element_problems(element, f"{at}/elements/{number}")


def _element_problems(element: Payload, at: str) -> Iterator[str]:
    yield from _texts_and_ids(element, at)
    if element.get("type") == "button" and not (element.get("text") or {}).get("text"):
        yield f"must be more than 0 characters [json-pointer:{at}/text/text]"
    for name, most in (("value", 2_000), ("url", 3_000)):
        if element.get("type") == "button" and len(element.get(name) or "") > most:
            yield _too_long(most, f"{at}/{name}")
    if len(element.get("options") or []) > 100:
        yield f"no more than 100 items allowed [json-pointer:{at}/options]"
    for number, option in enumerate(element.get("options") or []):
        if len(option["text"]["text"]) > _LONGEST["option", "text"]:
            yield _too_long(75, f"{at}/options/{number}/text/text")
        if len(option["value"]) > 150:
            yield _too_long(150, f"{at}/options/{number}/value")
    if element.get("type") == "static_select" and not element.get("options"):
        yield f"missing required field: options [json-pointer:{at}]"


def _texts_and_ids(part: Payload, at: str) -> Iterator[str]:
    for (kind, name), most in _LONGEST.items():
        text = part.get(name)
        if part.get("type") != kind or not isinstance(text, dict):
            continue
        if len(text.get("text", "")) > most:
            yield _too_long(most, f"{at}/{name}/text")
        if not text.get("text"):
            yield f"must be more than 0 characters [json-pointer:{at}/{name}/text]"
    for name in ("block_id", "action_id"):
        if len(part.get(name) or "") > _ID_CHARACTERS:
            yield _too_long(_ID_CHARACTERS, f"{at}/{name}")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "text" and isinstance(inner, str):
                yield inner
            else:
                yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
