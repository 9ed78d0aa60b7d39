"""`conversations.*`: what stands in a channel or thread, and who is in it."""

from tests.fakes.slack.channel import Channel
from tests.fakes.slack.limits import RefusedError
from tests.fakes.slack.methods.registry import Call, method
from tests.fakes.slack.records import Message, Payload

_READ = {"channel": "channels:history", "group": "groups:history", "im": "im:history", "mpim": "mpim:history"}
_TRUE = {"1", "true", "True"}


@method("conversations.history", *_READ.values())
async def history(call: Call) -> Payload:
    """Newest first, threads left out, in pages."""
    messages = _within(call, _readable(call).top_level())
    messages.reverse()
    return _page(call, messages)


@method("conversations.replies", *_READ.values())
async def replies(call: Call) -> Payload:
    """A thread, its parent first, oldest reply next."""
    channel = _readable(call)
    ts = str(call.need("ts"))
    found = channel.find(ts)
    if found is None:
        raise RefusedError("thread_not_found")
    thread = channel.thread(found.thread_ts or ts)
    return _page(call, [thread[0], *_within(call, thread[1:])])


@method("conversations.info", "channels:read", "groups:read", "im:read", "mpim:read")
async def info(call: Call) -> Payload:
    """The channel itself."""
    channel = call.channel(joined=False)
    return {"channel": channel.described() | {"is_member": call.account.id in channel.members}}


@method("conversations.members", "channels:read", "groups:read", "im:read", "mpim:read")
async def members(call: Call) -> Payload:
    """The ids of the members."""
    return {"members": sorted(call.channel(joined=False).members), "response_metadata": {"next_cursor": ""}}


@method("conversations.open", "im:write", "channels:manage", "groups:write", "mpim:write")
async def open_direct(call: Call) -> Payload:
    """The direct channel with one person."""
    account = call.workspace.by_id(str(call.need("users")))
    if account is None:
        raise RefusedError("user_not_found")
    channel = call.workspace.channel(f"dm-{account.name}", kind="im")
    channel.members.add(account.id)
    return {"channel": channel.described()}


def _readable(call: Call) -> Channel:
    """The channel named by id, if what is said in its kind may be read."""
    channel = call.channel()
    granted, needed = call.workspace.settings.scopes, _READ[channel.kind]
    if needed not in granted:
        raise RefusedError("missing_scope", needed=needed, provided=",".join(sorted(granted)))
    return channel


def _within(call: Call, messages: list[Message]) -> list[Message]:
    oldest, latest = str(call.args.get("oldest") or "0"), str(call.args.get("latest") or "9999999999.9")
    inclusive = str(call.args.get("inclusive", "")) in _TRUE
    low, high = float(oldest), float(latest)

    def fits(ts: float) -> bool:
        return low <= ts <= high if inclusive else low < ts < high

    return [message for message in messages if fits(float(message.ts))]


def _page(call: Call, messages: list[Message]) -> Payload:
    start = int(str(call.args.get("cursor") or "0").removeprefix("page:"))
    size = min(int(call.args.get("limit") or 100), 999)
    with_metadata = str(call.args.get("include_all_metadata", "")) in _TRUE
    end = start + size
    shown = [_shown(message, with_metadata=with_metadata) for message in messages[start:end]]
    more = end < len(messages)
    return {
        "messages": shown,
        "has_more": more,
        "response_metadata": {"next_cursor": f"page:{end}" if more else ""},
    }


def _shown(message: Message, *, with_metadata: bool) -> Payload:
    payload = dict(message.payload)
    if message.metadata:
        payload["metadata"] = (
            message.metadata if with_metadata else {"event_type": message.metadata["event_type"]}
        )
    return payload
