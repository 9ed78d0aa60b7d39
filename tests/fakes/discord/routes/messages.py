"""Messages in a channel or thread, and reactions."""

from tests.fakes.discord import posting
from tests.fakes.discord.payloads import seconds_of
from tests.fakes.discord.records import GUILD_MESSAGES, NOT_THE_AUTHOR, ApiError, Channel, Message, Payload
from tests.fakes.discord.routes.registry import Asked, route


@route("POST /channels/{channel_id}/messages")
async def create(asked: Asked) -> Payload:
    """With `enforce_nonce`, the same nonce within a few minutes returns the message that is already there."""
    in_thread = (
        asked.world.channels[asked.path["channel_id"]].kind == 11
        if asked.path["channel_id"] in asked.world.channels
        else False
    )
    needs = ["SEND_MESSAGES_IN_THREADS" if in_thread else "SEND_MESSAGES"]
    needs += ["ATTACH_FILES"] if asked.uploads else []
    channel = asked.channel(*needs)
    if earlier := _earlier(asked, channel):
        return asked.world.shown(earlier)
    return asked.world.shown(posting.post(asked.world, channel, asked.body or {}, asked.uploads))


@route("GET /channels/{channel_id}/messages")
async def history(asked: Asked) -> list[Payload]:
    """Newest first; `before`, `after` and `around` are ids. Content is hidden here too without the intent."""
    found = asked.channel("READ_MESSAGE_HISTORY").visible()
    limit = int(asked.query.get("limit", 50))
    before, after, around = (asked.query.get(name) for name in ("before", "after", "around"))
    if before:
        found = [one for one in found if int(one.id) < int(before)][-limit:]
    elif after:
        found = [one for one in found if int(one.id) > int(after)][:limit]
    elif around:
        found = sorted(found, key=lambda one: abs(int(one.id) - int(around)))[:limit]
    found = sorted(found, key=lambda one: int(one.id))[-limit:]
    return [_shown(asked, one) for one in reversed(found)]


@route("GET /channels/{channel_id}/messages/{message_id}")
async def one_message(asked: Asked) -> Payload:
    return _shown(asked, asked.message("READ_MESSAGE_HISTORY"))


@route("PATCH /channels/{channel_id}/messages/{message_id}")
async def edit(asked: Asked) -> Payload:
    message = asked.message()
    if message.author != asked.world.bot_user:
        raise ApiError(*NOT_THE_AUTHOR)
    return asked.world.shown(posting.change(asked.world, message, asked.body or {}, asked.uploads))


@route("DELETE /channels/{channel_id}/messages/{message_id}")
async def delete(asked: Asked) -> None:
    message = asked.message(*(() if _own(asked) else ("MANAGE_MESSAGES",)))
    message.deleted = True
    gone = {
        "id": message.id,
        "channel_id": message.channel_id,
        "guild_id": asked.world.channels[message.channel_id].guild_id,
    }
    asked.world.gateway.dispatch("MESSAGE_DELETE", GUILD_MESSAGES, gone["guild_id"], lambda _: gone)


@route("PUT /channels/{channel_id}/messages/{message_id}/reactions/{emoji}/@me")
async def react(asked: Asked) -> None:
    message = asked.message("ADD_REACTIONS")
    asked.channel().reactions.add((message.id, asked.path["emoji"], asked.world.bot_user.id))


@route("DELETE /channels/{channel_id}/messages/{message_id}/reactions/{emoji}/@me")
async def take_back(asked: Asked) -> None:
    message = asked.message()
    asked.channel().reactions.discard((message.id, asked.path["emoji"], asked.world.bot_user.id))


def _shown(asked: Asked, message: Message) -> Payload:
    return asked.world.shown(message, full=asked.world.settings.message_content)


def _own(asked: Asked) -> bool:
    return asked.message().author == asked.world.bot_user


def _earlier(asked: Asked, channel: Channel) -> Message | None:
    body = asked.body or {}
    if not (body.get("enforce_nonce") and body.get("nonce")):
        return None
    since = asked.world.clock.now() - asked.world.settings.nonce_window_s
    for message in channel.visible():
        same = (
            str(message.payload.get("nonce")) == str(body["nonce"]) and message.author == asked.world.bot_user
        )
        if same and seconds_of(message.id) >= since:
            return message
    return None
