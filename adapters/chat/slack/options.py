"""What the Slack adapter is given by whoever runs it. Not for reading settings."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import urlsplit

from adapters.chat.form_field import LAUNCH_FIELDS, FormField

NAME = "slack"
#: Slack's own address of the Web API
API_URL = "https://slack.com/api/"
#: hosts that may see the bot's token, besides the one of the Web API
_OWN_HOSTS = ("slack.com", "slack-files.com")


class Delivery(StrEnum):
    """How Slack hands over what happens."""

    #: the bot dials out; needs no address of its own
    SOCKET = "socket"
    #: Slack posts signed requests to the bot
    HTTP = "http"


@dataclass(frozen=True, slots=True)
class Form:
    """The form behind the command without any text. Title and button: 24 characters at most."""

    title: str = "Diagnose a failure"
    submit: str = "Diagnose"
    close: str = "Cancel"
    text_label: str = "Log or traceback"
    text_hint: str = "Up to 3,000 characters fit in here. Attach longer logs as a file."
    file_label: str = "Log file"
    fields: tuple[FormField, ...] = LAUNCH_FIELDS
    #: said when neither a text nor a file was given
    nothing_given: str = "Paste a log or attach a file."
    #: said when the form cannot be opened
    cannot_open: str = "The form could not be opened. Try again, or put the log right after the command."


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds. Tests shorten them; Slack's own limits are 3 s for an acknowledgement and for a form."""

    #: of one request to the Web API
    request_s: float = 30.0
    #: of a request that has to be over before the acknowledgement
    quick_s: float = 1.5
    #: between pings on the socket; below 1 s a busy machine loses sockets
    ping_s: float = 10.0
    #: how long Slack may take to greet on a new socket
    hello_s: float = 15.0
    #: how long a socket may be down before it is built anew
    dead_s: float = 30.0
    #: between looks at the socket
    watch_s: float = 2.0
    #: before the first new attempt to reach Slack; doubles up to the second
    retry_s: float = 1.0
    retry_most_s: float = 60.0
    #: how long the message of a shared file may take to arrive after the notice about the file
    file_notice_s: float = 1.0
    #: how long events that are being kept are waited for when the bot ends
    farewell_s: float = 2.0


@dataclass(frozen=True, slots=True)
class Hearing:
    """What is listened to. Commands, forms and shortcuts always are."""

    #: messages to nobody in particular
    unasked: bool = True
    #: messages that name the bot, or are sent to it directly
    mentions: bool = True
    #: also unasked in channels that are shared with other companies
    in_shared_channels: bool = False
    #: ids of the channels where to listen unasked; empty: everywhere
    channels: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SlackOptions:
    """Everything the adapter needs to know."""

    bot_token: str = field(repr=False)
    #: only in Socket Mode
    app_token: str = field(default="", repr=False)
    #: only over HTTP
    signing_secret: str = field(default="", repr=False)
    delivery: Delivery = Delivery.SOCKET
    api_url: str = API_URL
    #: path of the route for Slack's requests
    events_path: str = "/slack/events"
    command: str = "/vllm-diagnose"
    #: `callback_id` of the message shortcut
    shortcut: str = "vllm_diagnose_message"
    form: Form = field(default_factory=Form)
    hearing: Hearing = field(default_factory=Hearing)
    #: ids of the user groups that give their members roles; whom Slack has to be asked about
    groups: frozenset[str] = frozenset()
    #: address of the bot's own pages, for links that name no host; None: such links are left out
    pages_url: str | None = None
    timing: Timing = field(default_factory=Timing)
    #: how often a request that Slack refuses for its rate is tried again
    rate_limit_tries: int = 5

    @property
    def base_url(self) -> str:
        """Return the address of the Web API with its last slash."""
        return self.api_url if self.api_url.endswith("/") else f"{self.api_url}/"

    def is_own(self, url: str) -> bool:
        """Tell whether a URL is Slack's own, so that the bot's token may go there."""
        try:
            there, base = urlsplit(url), urlsplit(self.base_url)
        except ValueError:
            return False
        if there.scheme == base.scheme and there.netloc == base.netloc:
            return True
        host = there.hostname or ""
        is_slack = any(host == own or host.endswith(f".{own}") for own in _OWN_HOSTS)
        return there.scheme == "https" and is_slack and "@" not in there.netloc


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the bot is, as Slack tells it."""

    team: str
    user: str
    bot: str
