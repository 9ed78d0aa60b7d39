"""`chat.*`: posting, updating, deleting, private messages."""

import itertools

from tests.fakes.slack.escaping import stored
from tests.fakes.slack.limits import TEXT_TRUNCATED_ABOVE, RefusedError, check_blocks, check_update_text
from tests.fakes.slack.methods.registry import Call, method
from tests.fakes.slack.records import Message, Payload

_block_ids = itertools.count(1)


@method("chat.postMessage", "chat:write")
async def post(call: Call) -> Payload:
    """Post into a channel or thread; the app hears its own message."""
    channel = call.channel()
    payload = _content(call)
    if thread_ts := call.args.get("thread_ts"):
        if channel.find(thread_ts) is None:
            raise RefusedError("thread_not_found")
        payload["thread_ts"] = thread_ts
    message = Message(payload, channel.id, call.account, metadata=_metadata(call))
    call.workspace.keep(message, channel)
    answer: Payload = {"channel": channel.id, "ts": message.ts, "message": dict(message.payload)}
    if len(str(call.args.get("text") or "")) > TEXT_TRUNCATED_ABOVE:
        answer["warning"] = "message_truncated"
        answer["response_metadata"] = {"warnings": ["message_truncated"]}
    return answer


@method("chat.postEphemeral", "chat:write")
async def post_ephemeral(call: Call) -> Payload:
    """Show a message to one member only; it is in no history and cannot be updated by `chat.update`."""
    channel = call.channel()
    account = call.workspace.by_id(call.need("user"))
    if account is None or account.id not in channel.members:
        raise RefusedError("user_not_in_channel")
    payload = _content(call)
    if thread_ts := call.args.get("thread_ts"):
        payload["thread_ts"] = thread_ts
    message = Message(payload, channel.id, call.account, private_to=account.name)
    call.workspace.keep(message, channel)
    return {"message_ts": message.ts}


@method("chat.update", "chat:write")
async def update(call: Call) -> Payload:
    """Change an own message; the text has a limit of its own."""
    channel = call.channel()
    message = channel.find(str(call.need("ts")))
    if message is None:
        raise RefusedError("message_not_found")
    if message.author.id != call.account.id:
        raise RefusedError("cant_update_message")
    check_update_text(str(call.args.get("text") or ""))
    content = _content(call, old=message.payload)
    previous = dict(message.payload)
    message.payload |= {key: content[key] for key in ("text", "blocks", "attachments") if key in content}
    message.payload["edited"] = {"user": call.account.id, "ts": call.workspace.stamps.ts()}
    if "metadata" in call.args:
        message.metadata = _metadata(call)
    message.edits += 1
    call.workspace.events.changed(message, previous, channel)
    return {"channel": channel.id, "ts": message.ts, "text": message.text, "message": dict(message.payload)}


@method("chat.delete", "chat:write")
async def delete(call: Call) -> Payload:
    """Delete an own message."""
    channel = call.channel()
    message = channel.find(str(call.need("ts")))
    if message is None:
        raise RefusedError("message_not_found")
    if message.author.id != call.account.id:
        raise RefusedError("cant_delete_message")
    message.deleted = True
    call.workspace.events.deleted(message, channel)
    return {"channel": channel.id, "ts": message.ts}


@method("chat.getPermalink")
async def permalink(call: Call) -> Payload:
    """The address of a message."""
    channel = call.channel()
    message = channel.find(str(call.need("message_ts")))
    if message is None:
        raise RefusedError("message_not_found")
    address = f"https://fake.slack.com/archives/{channel.id}/p{message.ts.replace('.', '')}"
    return {"channel": channel.id, "permalink": address}


def _content(call: Call, old: Payload | None = None) -> Payload:
    """The checked and stored content of a post; on update, what is not given stays as it was."""
    text = str(call.args.get("text") or "")
    blocks = call.args.get("blocks")
    if blocks:
        check_blocks(blocks)
    if not (text or blocks or call.args.get("attachments") or (old and old.get("files"))):
        raise RefusedError("no_text")
    account = call.account
    payload: Payload = {
        "type": "message",
        "user": account.id,
        "bot_id": account.bot_id,
        "app_id": account.app_id,
        "team": "T0FAKE",
        "text": stored(text)[:TEXT_TRUNCATED_ABOVE],
        "bot_profile": {
            "id": account.bot_id,
            "app_id": account.app_id,
            "name": account.name,
            "team_id": "T0FAKE",
        },
    }
    if blocks is not None:
        payload["blocks"] = [
            {**block, "block_id": block.get("block_id") or f"blk{next(_block_ids)}"} for block in blocks
        ]
    elif old is not None and text:
        payload["blocks"] = []  # a text alone replaces the blocks
    payload |= {
        key: call.args[key]
        for key in ("attachments", "link_names", "parse", "unfurl_links", "unfurl_media")
        if key in call.args
    }
    return payload


def _metadata(call: Call) -> Payload | None:
    metadata = call.args.get("metadata")
    if not metadata:
        return None
    if not isinstance(metadata, dict) or not {"event_type", "event_payload"} <= set(metadata):
        raise RefusedError("invalid_metadata_format")
    return metadata
