"""Answers to interactions: the callback, follow-ups, the original."""

from tests.fakes.discord.records import Payload
from tests.fakes.discord.routes.registry import Asked, route

_HOOK = "/webhooks/{application_id}/{token}"


@route("POST /interactions/{interaction_id}/{token}/callback")
async def callback(asked: Asked) -> Payload | None:
    answer = asked.world.interactions.answer(
        asked.path["interaction_id"], asked.path["token"], asked.body, asked.uploads
    )
    return answer if asked.query.get("with_response") in ("1", "true") else None


@route(f"POST {_HOOK}")
async def follow_up(asked: Asked) -> Payload:
    return asked.world.shown(
        asked.world.interactions.follow_up(asked.path["token"], asked.body or {}, asked.uploads)
    )


@route(f"GET {_HOOK}/messages/{{message_id}}")
async def get(asked: Asked) -> Payload:
    return asked.world.shown(asked.world.interactions.message(asked.path["token"], asked.path["message_id"]))


@route(f"PATCH {_HOOK}/messages/{{message_id}}")
async def edit(asked: Asked) -> Payload:
    changed = asked.world.interactions.edit(
        asked.path["token"], asked.path["message_id"], asked.body or {}, asked.uploads
    )
    return asked.world.shown(changed)


@route(f"DELETE {_HOOK}/messages/{{message_id}}")
async def delete(asked: Asked) -> None:
    asked.world.interactions.message(asked.path["token"], asked.path["message_id"]).deleted = True
    asked.world.watch.notify()
