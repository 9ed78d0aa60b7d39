"""The form behind the command: as Slack draws it, and what was filled in. Pure. Not for opening it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from slack_sdk.models.blocks import (
    Block,
    InputBlock,
    InputInteractiveElement,
    PlainTextInputElement,
    PlainTextObject,
)
from slack_sdk.models.blocks.block_elements import FileInputElement
from slack_sdk.models.views import View

from adapters.chat.interface import IncomingMessage, MessageRef, Person, Place, Trigger
from adapters.chat.slack.inbound import Handle, own_id
from adapters.chat.slack.options import NAME
from adapters.chat.slack.reading import files_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from adapters.chat.slack.options import Form, Identity

    Payload = Mapping[str, Any]

CALLBACK = "ask"
#: block ids of the form, which also name the fault that is shown beside a block
TEXT, FILE = "text", "file"
_VALUE = "value"
#: Slack's own limit of a text field
_TEXT_LIMIT = 3_000
_FILES = 5
_METADATA_LIMIT = 3_000


def view_of(form: Form, payload: Payload) -> dict[str, Any]:
    """Return the form for a command; it remembers where the command was given."""
    text = PlainTextInputElement(action_id=_VALUE, multiline=True, max_length=_TEXT_LIMIT, focus_on_load=True)
    blocks = [
        _input(TEXT, form.text_label, text, form.text_hint),
        _input(FILE, form.file_label, FileInputElement(action_id=_VALUE, max_files=_FILES)),
    ]
    for field in form.fields:
        element = PlainTextInputElement(action_id=_VALUE, max_length=field.limit)
        blocks.append(_input(field.name, field.label, element, field.hint))
    kept = {"channel": str(payload.get("channel_id") or ""), "url": str(payload.get("response_url") or "")}
    view = View(
        type="modal",
        callback_id=CALLBACK,
        title=PlainTextObject(text=form.title),
        submit=PlainTextObject(text=form.submit),
        close=PlainTextObject(text=form.close),
        blocks=blocks,
        private_metadata=json.dumps(kept)[:_METADATA_LIMIT],
    )
    return view.to_dict()


def _input(name: str, label: str, element: InputInteractiveElement, hint: str = "") -> Block:
    return InputBlock(block_id=name, label=label, element=element, hint=hint or None, optional=True)


def submission_of(payload: Payload, us: Identity, now: datetime) -> IncomingMessage | None:
    """Return what was filled in; None when it is not this form, or names no channel."""
    view, user = payload.get("view") or {}, payload.get("user") or {}
    try:
        kept = json.loads(view.get("private_metadata") or "{}")
    except ValueError:
        return None
    channel, view_id = str(kept.get("channel") or ""), str(view.get("id") or "")
    if view.get("callback_id") != CALLBACK or not channel or not view_id or not user.get("id"):
        return None
    values = {name: block.get(_VALUE) or {} for name, block in _values(view).items()}
    name = str(user.get("username") or user.get("name") or user["id"])
    return IncomingMessage(
        ref=MessageRef(Place(NAME, us.team, channel), own_id("form", now, view_id)),
        author=Person(str(user["id"]), name),
        text=str(values.get(TEXT, {}).get("value") or ""),
        trigger=Trigger.FORM,
        sent_at=now,
        delivery_keys=(f"form:{view_id}",),
        files=files_of(values.get(FILE, {})),
        fields={
            field: str(value["value"]).strip()
            for field, value in values.items()
            if field not in {TEXT, FILE} and str(value.get("value") or "").strip()
        },
        handle=str(Handle(str(kept.get("url") or ""), name)),
    )


def _values(view: Payload) -> dict[str, dict[str, Any]]:
    values = (view.get("state") or {}).get("values") or {}
    return {str(name): block for name, block in values.items() if isinstance(block, dict)}
