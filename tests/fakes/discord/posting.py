"""Making and changing messages of the bot from a request body, the same for REST and for interactions."""

from typing import TYPE_CHECKING, Any

from tests.fakes.discord import payloads
from tests.fakes.discord.limits import check_message
from tests.fakes.discord.mentions import pings
from tests.fakes.discord.records import TOO_LARGE, ApiError, Channel, Message, Payload, StoredFile

if TYPE_CHECKING:
    from tests.fakes.discord.world import World

#: (file name, bytes, content type) in the order of `files[n]`
Uploads = list[tuple[str, bytes, str | None]]
_KEPT = ("content", "embeds", "components", "flags", "nonce", "tts")


def post(
    world: "World",
    channel: Channel,
    body: Payload,
    uploads: Uploads,
    *,
    through_webhook: bool = False,
    private_to: str | None = None,
    **more: Any,
) -> Message:
    """A new message by the bot; raises `ApiError` as Discord would refuse it."""
    check_message(body, files=len(uploads))
    message_id = world.snowflake()
    payload = {key: body[key] for key in _KEPT if body.get(key) is not None} | more
    payload |= {"id": message_id, "application_id": world.bot_user.id}
    _complete(payload)
    replied_to = _reply(world, channel, body, payload)
    message = Message(payload, channel.id, world.bot_user, private_to=private_to)
    message.files = store(world, channel, body, uploads)
    message.allowed_mentions = body.get("allowed_mentions")
    message.pings = (
        set() if private_to else pings(body, through_webhook=through_webhook, replied_to=replied_to)
    )
    return world.keep(message)


def change(
    world: "World",
    message: Message,
    body: Payload,
    uploads: Uploads,
    *,
    through_webhook: bool = False,
) -> Message:
    """Edit in place: what the body does not name stays."""
    check_message(body, files=len(uploads), partial=True)
    message.payload |= {key: body[key] for key in _KEPT if key in body}
    _complete(message.payload)
    if "attachments" in body or uploads:
        kept = {str(one["id"]) for one in body.get("attachments") or []}
        message.files = [one for one in message.files if one.id in kept]
        message.files += store(world, world.channels[message.channel_id], body, uploads)
    message.payload["edited_timestamp"] = payloads.stamp(world.clock.now())
    message.allowed_mentions = body.get("allowed_mentions")
    if not message.private_to:
        message.pings |= pings(body, through_webhook=through_webhook)
    message.edits += 1
    if message.private_to:
        world.watch.notify()
    else:
        world.tell("MESSAGE_UPDATE", message)
    return message


def store(world: "World", channel: Channel, body: Payload, uploads: Uploads) -> list[StoredFile]:
    """Keep uploaded files under the names that the body gives them."""
    if sum(len(content) for _, content, _ in uploads) > world.settings.upload_limit:
        raise ApiError(*TOO_LARGE)
    named = {str(one["id"]): one.get("filename") for one in body.get("attachments") or []}
    files = []
    for number, (name, content, content_type) in enumerate(uploads):
        file = StoredFile(
            world.snowflake(), named.get(str(number)) or name, content, content_type, channel.id
        )
        world.files[file.id] = file
        files.append(file)
    return files


def _complete(payload: Payload) -> None:
    if payload.get("content") is None:
        payload["content"] = ""
    payload["embeds"] = [{"type": "rich", **embed} for embed in payload.get("embeds") or []]
    payload["components"] = payload.get("components") or []


def _reply(world: "World", channel: Channel, body: Payload, payload: Payload) -> str | None:
    reference = body.get("message_reference")
    if not reference:
        return None
    target = channel.messages.get(str(reference["message_id"]))
    if target is None or target.deleted:
        if reference.get("fail_if_not_exists", True):
            tree = {
                "message_reference": {
                    "_errors": [{"code": "REPLIES_UNKNOWN_MESSAGE", "message": "Unknown message"}]
                }
            }
            raise ApiError(400, 50035, "Invalid Form Body", tree)
        return None
    payload |= {
        "type": 19,
        "referenced_message": world.shown(target),
        "message_reference": {
            "type": 0,
            "message_id": target.id,
            "channel_id": channel.id,
            "guild_id": channel.guild_id,
        },
    }
    return target.author.id
