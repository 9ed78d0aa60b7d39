"""The life of an interaction: three seconds to answer, one answer, a token for fifteen minutes."""

import itertools
from typing import TYPE_CHECKING

from tests.fakes.discord import payloads
from tests.fakes.discord.limits import check_modal
from tests.fakes.discord.posting import Uploads, change, post
from tests.fakes.discord.records import (
    ALREADY_ACKNOWLEDGED,
    EPHEMERAL,
    INVALID_TOKEN,
    LOADING,
    UNKNOWN_INTERACTION,
    UNKNOWN_MESSAGE,
    UNKNOWN_WEBHOOK,
    ApiError,
    Channel,
    Interaction,
    Message,
    Payload,
    User,
)

if TYPE_CHECKING:
    from tests.fakes.discord.world import World

MESSAGE, DEFERRED_MESSAGE, DEFERRED_UPDATE, UPDATE, MODAL = 4, 5, 6, 7, 9
COMMAND, COMPONENT, SUBMIT = 2, 3, 5


class Interactions:
    """All interactions ever started; `begun` is in order."""

    def __init__(self, world: "World") -> None:
        self.begun: list[Interaction] = []
        self._world = world
        self._numbers = itertools.count(1)

    def begin(
        self, kind: int, user: User, channel: Channel, data: Payload, message: Message | None = None
    ) -> Interaction:
        """Somebody did something: tell the bot. Fails if no bot is connected, as the client would show."""
        world = self._world
        interaction = Interaction(
            world.snowflake(),
            f"interaction-token-{next(self._numbers)}",
            kind,
            user,
            channel,
            data,
            world.clock.now(),
            message,
        )
        self.begun.append(interaction)
        shown = world.shown(message) if message else None
        data_shown = payloads.interaction(interaction, world.bot_user.id, shown)
        told = world.gateway.dispatch("INTERACTION_CREATE", 0, channel.guild_id, lambda _: data_shown)
        assert told, "the application did not respond: no bot is connected"
        return interaction

    def answer(self, interaction_id: str, token: str, body: Payload, uploads: Uploads) -> Payload:
        """POST /interactions/{id}/{token}/callback."""
        interaction = next(
            (one for one in self.begun if one.id == interaction_id and one.token == token), None
        )
        if interaction is None:
            raise ApiError(*UNKNOWN_INTERACTION)
        if interaction.callback is not None:
            raise ApiError(*ALREADY_ACKNOWLEDGED)
        if self._world.clock.now() - interaction.created_at > self._world.settings.answer_within_s:
            raise ApiError(*UNKNOWN_INTERACTION)
        kind, data = body["type"], body.get("data") or {}
        self._apply(interaction, kind, data, uploads)
        interaction.callback, interaction.answered_at = kind, self._world.clock.now()
        self._world.watch.notify()
        return self._receipt(interaction, kind)

    def live(self, token: str) -> Interaction:
        """The interaction behind a webhook token; refuses unanswered ones and those past their time."""
        interaction = next((one for one in self.begun if one.token == token), None)
        if interaction is None:
            raise ApiError(*INVALID_TOKEN)
        if self._world.clock.now() - interaction.created_at > self._world.settings.token_lives_s:
            raise ApiError(*INVALID_TOKEN)
        if interaction.callback is None:
            raise ApiError(*UNKNOWN_WEBHOOK)
        return interaction

    def follow_up(self, token: str, body: Payload, uploads: Uploads) -> Message:
        """A further message; the first one after a deferral fills the original."""
        interaction = self.live(token)
        if interaction.original and interaction.original.loading:
            return self._fill(interaction.original, body, uploads)
        return self._post(interaction, body, uploads)

    def message(self, token: str, message_id: str) -> Message:
        """A message of the interaction, by id or as `@original`."""
        interaction = self.live(token)
        if message_id == "@original":
            found = interaction.original
        else:
            channel = interaction.channel
            found = channel.messages.get(message_id) or channel.ephemerals.get(message_id)
        if found is None or found.deleted or found.author != self._world.bot_user:
            raise ApiError(*UNKNOWN_MESSAGE)
        return found

    def edit(self, token: str, message_id: str, body: Payload, uploads: Uploads) -> Message:
        """PATCH of a follow-up or of the original."""
        message = self.message(token, message_id)
        if message.loading:
            return self._fill(message, body, uploads)
        return change(self._world, message, body, uploads, through_webhook=True)

    def _apply(self, interaction: Interaction, kind: int, data: Payload, uploads: Uploads) -> None:
        if kind == MESSAGE:
            interaction.original = self._post(interaction, data, uploads)
        elif kind == DEFERRED_MESSAGE:
            flags = (data.get("flags") or 0) | LOADING
            interaction.original = self._thinking(interaction, flags)
        elif kind in (DEFERRED_UPDATE, UPDATE) and interaction.message:
            interaction.original = interaction.message
            if kind == UPDATE:
                change(self._world, interaction.message, data, uploads, through_webhook=True)
        elif kind == MODAL and interaction.kind != SUBMIT:
            check_modal(data)
            interaction.modal = data
        else:
            tree = {
                "type": {
                    "_errors": [{"code": "BASE_TYPE_CHOICES", "message": "not valid for this interaction"}]
                }
            }
            raise ApiError(400, 50035, "Invalid Form Body", tree)

    def _thinking(self, interaction: Interaction, flags: int) -> Message:
        payload = {
            "id": self._world.snowflake(),
            "flags": flags,
            "application_id": self._world.bot_user.id,
            "type": 20,
        }
        private_to = interaction.user.name if flags & EPHEMERAL else None
        message = Message(
            payload | self._origin(interaction),
            interaction.channel.id,
            self._world.bot_user,
            private_to=private_to,
        )
        return self._world.keep(message)

    def _fill(self, message: Message, body: Payload, uploads: Uploads) -> Message:
        message.payload["flags"] &= ~LOADING
        flags = message.payload["flags"] & EPHEMERAL | (body.get("flags") or 0) & ~EPHEMERAL
        change(self._world, message, {**body, "flags": flags}, uploads, through_webhook=True)
        message.edits = 0
        self._world.watch.notify()
        return message

    def _post(self, interaction: Interaction, body: Payload, uploads: Uploads) -> Message:
        private = bool((body.get("flags") or 0) & EPHEMERAL)
        return post(
            self._world,
            interaction.channel,
            body,
            uploads,
            through_webhook=True,
            private_to=interaction.user.name if private else None,
            **self._origin(interaction),
        )

    def _origin(self, interaction: Interaction) -> Payload:
        meta = {
            "id": interaction.id,
            "type": interaction.kind,
            "user": payloads.user(interaction.user),
            "authorizing_integration_owners": {"0": interaction.channel.guild_id or "0"},
        }
        return {"webhook_id": self._world.bot_user.id, "interaction_metadata": meta}

    def _receipt(self, interaction: Interaction, kind: int) -> Payload:
        original = interaction.original
        receipt: Payload = {"interaction": {"id": interaction.id, "type": interaction.kind}}
        if original and kind in (MESSAGE, DEFERRED_MESSAGE, UPDATE):
            receipt["interaction"] |= {
                "response_message_id": original.id,
                "response_message_loading": original.loading,
                "response_message_ephemeral": bool(original.private_to),
            }
            receipt["resource"] = {"type": kind, "message": self._world.shown(original)}
        return receipt
