"""Everything else that the bot may call: who am I, sockets, forms, reactions, people and groups."""

from tests.fakes.slack.limits import RefusedError
from tests.fakes.slack.methods.registry import Call, method
from tests.fakes.slack.records import Account, Payload


@method("api.test")
async def api_test(call: Call) -> Payload:
    return {"args": dict(call.args)}


@method("auth.test")
async def auth_test(call: Call) -> Payload:
    account = call.account
    return {
        "url": "https://fake.slack.com/",
        "team": "Fake",
        "user": account.name,
        "team_id": "T0FAKE",
        "user_id": account.id,
        "bot_id": account.bot_id,
        "is_enterprise_install": False,
    }


@method("apps.connections.open", "connections:write", app_token=True)
async def open_connection(call: Call) -> Payload:
    base = call.workspace.base_url.replace("http://", "ws://")
    return {"url": f"{base}link/?ticket={call.workspace.sockets.ticket()}&app_id={call.account.app_id}"}


@method("views.open")
async def open_view(call: Call) -> Payload:
    responses = call.workspace.responses
    view = call.need("view")
    return {"view": responses.open_view(view, responses.triggers.use(str(call.need("trigger_id")))).payload}


@method("views.update")
async def update_view(call: Call) -> Payload:
    view_id, external_id = call.args.get("view_id"), call.args.get("external_id")
    for opened in call.workspace.views:
        if not opened.closed and (
            opened.payload["id"] == view_id
            or (external_id and opened.payload.get("external_id") == external_id)
        ):
            call.workspace.responses.update_view(opened, call.need("view"))
            return {"view": opened.payload}
    raise RefusedError("not_found")


@method("reactions.add", "reactions:write")
async def add_reaction(call: Call) -> Payload:
    channel = call.channel()
    ts, name = str(call.need("timestamp")), str(call.need("name"))
    if channel.find(ts) is None:
        raise RefusedError("message_not_found")
    if (ts, name, call.account.id) in channel.reactions:
        raise RefusedError("already_reacted")
    channel.reactions.add((ts, name, call.account.id))
    return {}


@method("reactions.remove", "reactions:write")
async def remove_reaction(call: Call) -> Payload:
    channel = call.channel()
    mark = (str(call.need("timestamp")), str(call.need("name")), call.account.id)
    if mark not in channel.reactions:
        raise RefusedError("no_reaction")
    channel.reactions.remove(mark)
    return {}


@method("users.info", "users:read")
async def user_info(call: Call) -> Payload:
    account = call.workspace.by_id(str(call.need("user")))
    if not isinstance(account, Account):
        raise RefusedError("user_not_found")
    return {
        "user": {
            "id": account.id,
            "name": account.name,
            "real_name": account.name.title(),
            "team_id": "T0FAKE",
            "deleted": False,
            "is_bot": account.bot_id is not None,
            "is_admin": False,
            "tz": "Etc/UTC",
            "locale": "en-US",
            "profile": {"display_name": account.name, "real_name": account.name.title()},
        }
    }


@method("bots.info", "users:read")
async def bot_info(call: Call) -> Payload:
    wanted = str(call.need("bot"))
    for account in call.workspace.accounts.values():
        if account.bot_id == wanted:
            return {
                "bot": {
                    "id": wanted,
                    "name": account.name,
                    "app_id": account.app_id,
                    "user_id": account.id,
                    "deleted": False,
                }
            }
    raise RefusedError("bot_not_found")


@method("usergroups.users.list", "usergroups:read")
async def group_members(call: Call) -> Payload:
    """All at once: this method has no pages. A group that is switched off is not found unless that is asked for."""
    group = str(call.need("usergroup"))
    is_off = group in call.workspace.groups_off and call.args.get("include_disabled") not in (
        "1",
        "true",
        True,
    )
    if group not in call.workspace.groups or is_off:
        raise RefusedError("no_such_subteam")
    return {"users": list(call.workspace.groups[group])}
