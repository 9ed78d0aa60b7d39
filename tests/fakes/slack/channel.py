"""A channel with its messages and threads."""

import itertools
from dataclasses import dataclass, field

from tests.fakes.clock import Clock
from tests.fakes.slack.records import Message, Payload


class Stamps:
    """Time stamps that name messages: seconds with six digits, never twice the same, always rising."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = 0
        self._ids = itertools.count(1)

    def ts(self) -> str:
        self._last = max(self._last + 1, int(self._clock.now() * 1_000_000))
        return f"{self._last // 1_000_000}.{self._last % 1_000_000:06d}"

    def id(self, letter: str) -> str:
        """A fresh id such as `F0000012`."""
        return f"{letter}{next(self._ids):07d}"


@dataclass
class Channel:
    """`kind` is channel, group (private) or im. `members` are user ids; `shared`: Slack Connect."""

    id: str
    name: str
    kind: str = "channel"
    members: set[str] = field(default_factory=set)
    shared: bool = False
    messages: list[Message] = field(default_factory=list)
    ephemerals: list[Message] = field(default_factory=list)
    reactions: set[tuple[str, str, str]] = field(default_factory=set)
    _by_ts: dict[str, Message] = field(default_factory=dict)

    def find(self, ts: str) -> Message | None:
        found = self._by_ts.get(ts)
        return None if found is None or found.deleted else found

    def thread(self, ts: str) -> list[Message]:
        """The parent and its replies, oldest first."""
        return [one for one in self.messages if not one.deleted and ts in (one.ts, one.thread_ts)]

    def top_level(self) -> list[Message]:
        """What `conversations.history` returns: replies only where they were broadcast."""
        return [one for one in self.messages if not one.deleted and one.thread_ts in (None, one.ts)]

    def add(self, message: Message) -> Message | None:
        """Keep a message; returns the parent if this is its first reply."""
        self.messages.append(message)
        self._by_ts[message.ts] = message
        parent = (
            self.find(message.thread_ts) if message.thread_ts and message.thread_ts != message.ts else None
        )
        if parent is None:
            return None
        replies = self.thread(parent.ts)[1:]
        first = "reply_count" not in parent.payload
        users = list(dict.fromkeys(one.payload.get("user") for one in replies))
        parent.payload |= {
            "thread_ts": parent.ts,
            "reply_count": len(replies),
            "reply_users": users,
            "reply_users_count": len(users),
            "latest_reply": message.ts,
        }
        return parent if first else None

    def described(self) -> Payload:
        """As `conversations.info` gives it."""
        return {
            "id": self.id,
            "name": self.name,
            "is_channel": self.kind == "channel",
            "is_group": self.kind == "group",
            "is_im": self.kind == "im",
            "is_private": self.kind != "channel",
            "is_archived": False,
            "is_ext_shared": self.shared,
            "is_shared": self.shared,
            "is_member": True,
            "num_members": len(self.members),
        }
