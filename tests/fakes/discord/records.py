"""The plain records of the fake Discord: settings, users, channels, messages, files."""

from dataclasses import dataclass, field
from typing import Any

Payload = dict[str, Any]

GUILDS = 1 << 0
GUILD_MEMBERS = 1 << 1
GUILD_PRESENCES = 1 << 8
GUILD_MESSAGES = 1 << 9
GUILD_REACTIONS = 1 << 10
DIRECT_MESSAGES = 1 << 12
MESSAGE_CONTENT = 1 << 15

EPHEMERAL = 1 << 6
LOADING = 1 << 7
HAS_THREAD = 1 << 5
COMPONENTS_V2 = 1 << 15


@dataclass(frozen=True)
class DiscordSettings:
    """How this Discord behaves.

    `message_content` is the switch of the developer portal, `privileged` the other such intents that are
    granted. `bucket_limit` requests are allowed per route and channel in `bucket_window_s` real seconds.
    Deadlines count on the world's clock.
    """

    heartbeat_interval_ms: int = 41_250
    message_content: bool = True
    privileged: int = 0
    shards_required: int = 1
    bucket_limit: int = 50
    bucket_window_s: float = 0.2
    retry_after_s: float = 0.05
    answer_within_s: float = 3.0
    token_lives_s: float = 15 * 60
    link_lives_s: float = 24 * 3600
    nonce_window_s: float = 300
    upload_limit: int = 10 * 1024 * 1024
    replay_limit: int = 1_000


@dataclass(frozen=True)
class DiscordAddresses:
    """All that a bot needs: `api_url` for `discord.http.Route.BASE`, `gateway_url` for `DEFAULT_GATEWAY`."""

    api_url: str
    gateway_url: str
    token: str
    application_id: int
    guild_id: int


@dataclass(frozen=True)
class User:
    """A person or a bot."""

    id: str
    name: str
    bot: bool = False
    #: ids, without the one that everybody has
    roles: list[str] = field(default_factory=list, compare=False)


@dataclass(frozen=True)
class StoredFile:
    """An attachment; its address is signed anew each time it is shown."""

    id: str
    name: str
    content: bytes
    content_type: str | None
    channel_id: str


@dataclass
class Message:
    """One message. `payload` is Discord's record without addresses of files, kept up to date."""

    payload: Payload
    channel_id: str
    author: User
    files: list[StoredFile] = field(default_factory=list)
    private_to: str | None = None
    pings: set[str] = field(default_factory=set)
    allowed_mentions: Payload | None = None
    edits: int = 0
    deleted: bool = False

    @property
    def id(self) -> str:
        return str(self.payload["id"])

    @property
    def loading(self) -> bool:
        """The bot said that it is thinking; people see no content yet."""
        return bool(self.payload.get("flags", 0) & LOADING)


@dataclass
class Channel:
    """`kind`: 0 text, 1 direct, 11 thread, 15 forum. `forbidden`: permissions that the bot lacks here."""

    id: str
    name: str
    kind: int = 0
    guild_id: str | None = None
    parent_id: str | None = None
    owner_id: str | None = None
    recipient: User | None = None
    forbidden: set[str] = field(default_factory=set)
    messages: dict[str, Message] = field(default_factory=dict)
    ephemerals: dict[str, Message] = field(default_factory=dict)
    reactions: set[tuple[str, str, str]] = field(default_factory=set)

    def visible(self) -> list[Message]:
        """What the history holds, oldest first."""
        return [message for message in self.messages.values() if not message.deleted]


@dataclass
class Interaction:
    """A command, click or form of somebody, from its start to the end of its token."""

    id: str
    token: str
    kind: int
    user: User
    channel: Channel
    data: Payload
    created_at: float
    message: Message | None = None
    callback: int | None = None
    answered_at: float | None = None
    original: Message | None = None
    modal: Payload | None = None


class ApiError(Exception):
    """An answer of the REST API that is no success."""

    def __init__(self, status: int, code: int, message: str, errors: Payload | None = None) -> None:
        self.status = status
        self.body: Payload = {"message": message, "code": code}
        if errors:
            self.body["errors"] = errors
        super().__init__(f"{status} {code}: {message}")


UNKNOWN_CHANNEL = (404, 10003, "Unknown Channel")
UNKNOWN_MESSAGE = (404, 10008, "Unknown Message")
UNKNOWN_WEBHOOK = (404, 10015, "Unknown Webhook")
UNKNOWN_INTERACTION = (404, 10062, "Unknown interaction")
ALREADY_ACKNOWLEDGED = (400, 40060, "Interaction has already been acknowledged.")
MISSING_ACCESS = (403, 50001, "Missing Access")
MISSING_PERMISSIONS = (403, 50013, "Missing Permissions")
NOT_THE_AUTHOR = (403, 50005, "Cannot edit a message authored by another user")
EMPTY_MESSAGE = (400, 50006, "Cannot send an empty message")
INVALID_TOKEN = (401, 50027, "Invalid Webhook Token")
THREAD_EXISTS = (400, 160004, "A thread has already been created for this message")
TOO_LARGE = (413, 40005, "Request entity too large")
