"""Channels and threads."""

from tests.fakes.discord import payloads
from tests.fakes.discord.limits import THREAD_NAME, Complaint
from tests.fakes.discord.posting import post
from tests.fakes.discord.records import HAS_THREAD, THREAD_EXISTS, ApiError, Channel, Payload
from tests.fakes.discord.routes.registry import Asked, route


@route("GET /channels/{channel_id}")
async def channel(asked: Asked) -> Payload:
    return payloads.channel(asked.channel())


@route("PATCH /channels/{channel_id}")
async def change(asked: Asked) -> Payload:
    found = asked.channel()
    found.name = asked.body.get("name", found.name)
    return payloads.channel(found)


@route("POST /channels/{channel_id}/typing")
async def typing(asked: Asked) -> None:
    asked.channel()


@route("POST /users/@me/channels")
async def direct(asked: Asked) -> Payload:
    person = asked.world.users.get(str(asked.body["recipient_id"]))
    if person is None:
        raise ApiError(400, 50033, "Invalid Recipient(s)")
    return payloads.channel(asked.world.channel(f"dm-{person.name}"))


@route("PUT /channels/{channel_id}/thread-members/@me")
async def join(asked: Asked) -> None:
    asked.channel()


@route("POST /channels/{channel_id}/messages/{message_id}/threads")
async def thread_from_message(asked: Asked) -> Payload:
    """The thread gets the id of its message; there can be only one."""
    starter = asked.message("CREATE_PUBLIC_THREADS")
    if starter.id in asked.world.channels:
        raise ApiError(*THREAD_EXISTS)
    thread = _thread(asked, starter.id)
    starter.payload["flags"] = starter.payload.get("flags", 0) | HAS_THREAD
    starter.payload["thread"] = payloads.channel(thread)
    asked.world.tell("MESSAGE_UPDATE", starter)
    return payloads.channel(thread)


@route("POST /channels/{channel_id}/threads")
async def thread_alone(asked: Asked) -> Payload:
    """A thread without a starter message, or a forum post with its first message."""
    parent = asked.channel("CREATE_PUBLIC_THREADS")
    thread = _thread(asked, asked.world.snowflake())
    answer = payloads.channel(thread)
    if parent.kind == 15:
        first = post(asked.world, thread, asked.body.get("message") or {}, asked.uploads)
        answer["message"] = asked.world.shown(first)
    return answer


def _thread(asked: Asked, thread_id: str) -> Channel:
    parent = asked.channel()
    complaint = Complaint()
    name = asked.body.get("name") or ""
    complaint.length(name, THREAD_NAME, "name")
    if not name:
        complaint.add("BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.", "name")
    if asked.body.get("auto_archive_duration", 60) not in (60, 1_440, 4_320, 10_080, None):
        complaint.add("BASE_TYPE_CHOICES", "not one of the durations", "auto_archive_duration")
    complaint.check()
    bot = asked.world.bot_user
    return asked.world.open(Channel(thread_id, name, 11, parent.guild_id, parent.id, owner_id=bot.id))
