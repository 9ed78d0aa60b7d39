"""Modals: their labels, and what a submission holds."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.fakes.discord.records import Payload
from tests.fakes.stage import Upload

_TEXT, _SELECT, _FILE, _RADIO, _CHECKBOX = 4, 3, 19, 21, 23


class FormError(AssertionError):
    """The client would not send this form."""


def labels(modal: Payload) -> tuple[str, ...]:
    """The labels of the fields, in order."""
    return tuple(label for label, _ in _fields(modal))


def submission(
    modal: Payload, values: Mapping[str, str | Upload], keep: Callable[[Upload], str]
) -> list[Payload]:
    """`data.components` for these answers; `keep` stores a file and returns its id."""
    unknown = set(values) - set(labels(modal))
    if unknown:
        raise FormError(f"the form has no field {sorted(unknown)}; it has {labels(modal)}")
    sent: list[Payload] = []
    for number, part in enumerate(modal["components"], 1):
        if part["type"] == 18:
            inner = _answer(part["component"], values.get(part["label"]), part["label"], keep)
            sent.append({"type": 18, "id": number, "component": inner})
        elif part["type"] == 1:
            inputs = [
                _answer(one, values.get(one["label"]), one["label"], keep) for one in part["components"]
            ]
            sent.append({"type": 1, "id": number, "components": inputs})
    return sent


def _fields(modal: Payload) -> Iterator[tuple[str, Payload]]:
    for part in modal["components"]:
        if part["type"] == 18:
            yield part["label"], part["component"]
        for inner in part.get("components", []):
            yield inner["label"], inner


def _answer(field: Payload, value: str | Upload | None, label: str, keep: Callable[[Upload], str]) -> Payload:
    if (
        value is None
        and field.get("required", True)
        and field["type"] != _CHECKBOX
        and not field.get("value")
    ):
        raise FormError(f"{label!r} is required")
    return {
        "type": field["type"],
        "id": field.get("id", 0),
        "custom_id": field["custom_id"],
        **_value(field, value, label, keep),
    }


def _value(field: Payload, value: str | Upload | None, label: str, keep: Callable[[Upload], str]) -> Payload:
    if field["type"] == _FILE:
        return {"values": [keep(value)] if isinstance(value, Upload) else []}
    if isinstance(value, Upload):
        raise FormError(f"{label!r} takes no file")
    if field["type"] == _TEXT:
        text = value if value is not None else field.get("value") or ""
        if len(text) > field.get("max_length", 4_000) or (text and len(text) < field.get("min_length", 0)):
            raise FormError(
                f"{label!r} takes at most {field.get('max_length', 4_000)} characters, not {len(text)}"
            )
        return {"value": text}
    if field["type"] == _CHECKBOX:
        return {"value": bool(value)}
    chosen: Any = None if value is None else _option(field, value, label)
    return {"value": chosen} if field["type"] == _RADIO else {"values": [] if chosen is None else [chosen]}


def _option(field: Payload, value: str, label: str) -> str:
    for option in field.get("options") or []:
        if value in (option["value"], option["label"]):
            return str(option["value"])
    raise FormError(f"{label!r} has no option {value!r}")
