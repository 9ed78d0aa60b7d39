"""`files.*`: the upload in three steps, and what is known of a file."""

from tests.fakes.slack.limits import RefusedError
from tests.fakes.slack.methods.registry import Call, method
from tests.fakes.slack.records import Message, Payload, StoredFile


@method("files.getUploadURLExternal", "files:write")
async def get_upload_url(call: Call) -> Payload:
    """Step 1: a place to send the bytes to."""
    name, length = str(call.need("filename")), int(call.need("length"))
    if length <= 0:
        raise RefusedError("invalid_arguments", "[ERROR] length must be greater than 0")
    workspace = call.workspace
    file = StoredFile(
        workspace.stamps.id("F"),
        name,
        b"",
        "text/plain",
        call.account,
        int(workspace.clock.now()),
        mode="unfinished",
    )
    workspace.files[file.id] = file
    return {"upload_url": f"{workspace.base_url}upload/v1/{file.id}", "file_id": file.id}


@method("files.completeUploadExternal", "files:write")
async def complete_upload(call: Call) -> Payload:
    """Step 3: share what was sent; makes a message if a channel is given."""
    done = []
    for item in call.need("files"):
        file = call.workspace.files.get(item["id"])
        if file is None or not file.content:
            raise RefusedError("file_not_found")
        file.title, file.mode = (
            item.get("title") or file.name,
            "snippet" if file.name.endswith(".txt") else "hosted",
        )
        done.append(file)
    call.args.setdefault("channel", call.args.get("channel_id") or call.args.get("channels"))
    if call.args["channel"]:
        channel = call.channel()
        shown = [call.workspace.shown_file(file) for file in done]
        account = call.account
        payload: Payload = {
            "type": "message",
            "subtype": "file_share",
            "text": call.args.get("initial_comment") or "",
            "files": shown,
            "user": account.id,
            "bot_id": account.bot_id,
            "app_id": account.app_id,
            "upload": True,
        }
        if thread_ts := call.args.get("thread_ts"):
            payload["thread_ts"] = thread_ts
        call.workspace.keep(Message(payload, channel.id, account), channel)
    return {"files": [call.workspace.shown_file(file) for file in done]}


@method("files.info", "files:read")
async def info(call: Call) -> Payload:
    """A file with its full record, also for Slack Connect."""
    file = call.workspace.files.get(str(call.need("file")))
    if file is None:
        raise RefusedError("file_not_found")
    connect, file.connect = file.connect, False
    shown = call.workspace.shown_file(file)
    file.connect = connect
    return {
        "file": shown | {"channels": sorted(file.where)},
        "comments": [],
        "response_metadata": {"next_cursor": ""},
    }
