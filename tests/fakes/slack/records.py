"""The plain records of the fake Slack: settings, the app's credentials, people, files, messages."""

from dataclasses import dataclass, field
from typing import Any

Payload = dict[str, Any]

#: what `manifest slack --mode passive` asks for; a workspace may be given less
ALL_SCOPES = frozenset(
    {
        "app_mentions:read",
        "channels:history",
        "channels:read",
        "chat:write",
        "commands",
        "files:read",
        "files:write",
        "groups:history",
        "groups:read",
        "im:history",
        "im:read",
        "im:write",
        "mpim:history",
        "reactions:write",
        "usergroups:read",
        "users:read",
    }
)
ALL_EVENTS = frozenset({"app_mention", "message.channels", "message.groups", "message.im", "message.mpim"})


@dataclass(frozen=True)
class SlackSettings:
    """How this Slack behaves; times are real seconds, short where Slack's are long.

    `retry_delays_s` are the pauses before each of the three redeliveries (Slack: at once, 1 min, 5 min).
    `most_in_flight` deliveries wait for their acknowledgement at once; a burst of more queues up here.
    `posts_per_window=None` switches the limit per channel off (Slack: about one in `window_s` = 1).
    """

    ack_timeout_s: float = 3.0
    retry_delays_s: tuple[float, ...] = (0.0, 0.05, 0.1)
    closing_grace_s: float = 0.2
    ping_every_s: float = 5.0
    posts_per_window: int | None = None
    window_s: float = 1.0
    retry_after_s: int = 1
    paste_limit: int = 12_000
    links_bare_names: bool = True
    parent_changes_on_reply: bool = True
    most_sockets: int = 10
    most_in_flight: int = 40
    scopes: frozenset[str] = ALL_SCOPES
    events: frozenset[str] = ALL_EVENTS


@dataclass(frozen=True)
class SlackAddresses:
    """All that a bot needs to connect: base URL with its last slash, tokens, signing secret, own ids."""

    mode: str
    api_url: str
    bot_token: str
    app_token: str
    signing_secret: str
    team_id: str
    app_id: str
    bot_user_id: str
    bot_id: str


@dataclass(frozen=True)
class Account:
    """A person or a bot: `bot_id` is set for bots only."""

    id: str
    name: str
    bot_id: str | None = None
    app_id: str | None = None


@dataclass
class StoredFile:
    """A hosted file or snippet. `where` are the channels that it was shared to."""

    id: str
    name: str
    content: bytes
    mimetype: str
    owner: Account
    created: int
    title: str = ""
    mode: str = "hosted"
    where: set[str] = field(default_factory=set)
    connect: bool = False


@dataclass
class Message:
    """One message: `payload` is Slack's own record of it, kept up to date by edits."""

    payload: Payload
    channel_id: str
    author: Account
    metadata: Payload | None = None
    private_to: str | None = None
    edits: int = 0
    deleted: bool = False
    delivered: list[Payload] = field(default_factory=list)

    @property
    def ts(self) -> str:
        return str(self.payload["ts"])

    @property
    def thread_ts(self) -> str | None:
        return self.payload.get("thread_ts")

    @property
    def text(self) -> str:
        return str(self.payload.get("text", ""))


@dataclass
class OpenView:
    """A modal on somebody's screen; `errors` by block id after a refused submission."""

    payload: Payload
    account: Account
    channel_id: str
    errors: dict[str, str] = field(default_factory=dict)
    closed: bool = False
