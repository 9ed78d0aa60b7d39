"""Who the bot is, where the gateway is, and its commands."""

from tests.fakes.discord import payloads
from tests.fakes.discord.limits import Complaint
from tests.fakes.discord.records import ApiError, Payload
from tests.fakes.discord.routes.registry import Asked, route

_GLOBAL = "/applications/{application_id}/commands"
_GUILD = "/applications/{application_id}/guilds/{guild_id}/commands"


@route("GET /gateway")
async def gateway(asked: Asked) -> Payload:
    return {"url": asked.world.addresses.gateway_url}


@route("GET /gateway/bot")
async def gateway_bot(asked: Asked) -> Payload:
    limit = {
        "total": 1_000,
        "remaining": 1_000 - len(asked.world.gateway.sessions),
        "reset_after": 0,
        "max_concurrency": 1,
    }
    shards = asked.world.settings.shards_required
    return {"url": asked.world.addresses.gateway_url, "shards": shards, "session_start_limit": limit}


@route("GET /users/@me")
async def me(asked: Asked) -> Payload:
    return payloads.user(asked.world.bot_user) | {
        "verified": True,
        "mfa_enabled": False,
        "locale": "en-US",
        "email": None,
    }


async def _application(asked: Asked) -> Payload:
    bot = asked.world.bot_user
    return {
        "id": bot.id,
        "name": bot.name,
        "icon": None,
        "description": "",
        "bot_public": True,
        "bot_require_code_grant": False,
        "owner": payloads.user(asked.world.user("owner").user),
        "verify_key": "00" * 32,
        "team": None,
        "tags": [],
        "flags": 1 << 19 if asked.world.settings.message_content else 0,
        "interactions_endpoint_url": None,
        "approximate_guild_count": 1,
        "redirect_uris": [],
        "bot": payloads.user(bot),
    }


route("GET /oauth2/applications/@me")(_application)
route("GET /applications/@me")(_application)


@route("GET /users/@me/guilds")
async def guilds(asked: Asked) -> list[Payload]:
    return [
        {
            "id": asked.world.guild_id,
            "name": "Fake",
            "icon": None,
            "owner": False,
            "permissions": payloads.ALL_PERMISSIONS,
            "features": [],
        }
    ]


@route("GET /guilds/{guild_id}")
async def guild(asked: Asked) -> Payload:
    world = asked.world
    return payloads.guild(world.guild_id, "Fake", world.bot_user, list(world.channels.values()))


@route("GET /guilds/{guild_id}/channels")
async def guild_channels(asked: Asked) -> list[Payload]:
    return [payloads.channel(one) for one in asked.world.channels.values() if one.kind in (0, 15)]


@route("GET /guilds/{guild_id}/threads/active")
async def active_threads(asked: Asked) -> Payload:
    threads = [payloads.channel(one) for one in asked.world.channels.values() if one.kind == 11]
    return {"threads": threads, "members": []}


@route("GET /guilds/{guild_id}/members/{user_id}")
async def guild_member(asked: Asked) -> Payload:
    found = asked.world.users.get(asked.path["user_id"])
    if found is None:
        raise ApiError(404, 10007, "Unknown Member")
    return payloads.member(found)


async def _list(asked: Asked) -> list[Payload]:
    return asked.world.commands.get(asked.path.get("guild_id"), [])


async def _replace(asked: Asked) -> list[Payload]:
    place = asked.path.get("guild_id")
    asked.world.commands[place] = [_completed(asked, command) for command in asked.body]
    asked.world.watch.notify()
    return asked.world.commands[place]


async def _upsert(asked: Asked) -> Payload:
    command = _completed(asked, asked.body)
    known = asked.world.commands.setdefault(asked.path.get("guild_id"), [])
    known[:] = [one for one in known if (one["name"], one["type"]) != (command["name"], command["type"])] + [
        command
    ]
    asked.world.watch.notify()
    return command


async def _delete(asked: Asked) -> None:
    known = asked.world.commands.setdefault(asked.path.get("guild_id"), [])
    known[:] = [one for one in known if one["id"] != asked.path["command_id"]]


for _path in (_GLOBAL, _GUILD):
    route(f"GET {_path}")(_list)
    route(f"PUT {_path}")(_replace)
    route(f"POST {_path}")(_upsert)
    route(f"DELETE {_path}/{{command_id}}")(_delete)


def _completed(asked: Asked, command: Payload) -> Payload:
    complaint = Complaint()
    complaint.length(command["name"], 32, "name")
    complaint.length(command.get("description"), 100, "description")
    chat_input = command.get("type", 1) == 1
    if chat_input and command["name"] != command["name"].lower():
        complaint.add("APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid", "name")
    if chat_input and not command.get("description"):
        complaint.add("BASE_TYPE_REQUIRED", "This field is required", "description")
    complaint.count(command.get("options") or [], 25, "options")
    complaint.check()
    return {
        "type": 1,
        "description": "",
        "options": [],
        "default_member_permissions": None,
        "dm_permission": True,
        "nsfw": False,
        "version": asked.world.snowflake(),
        **command,
        "id": asked.world.snowflake(),
        "application_id": asked.world.bot_user.id,
        **({"guild_id": asked.path["guild_id"]} if "guild_id" in asked.path else {}),
    }
