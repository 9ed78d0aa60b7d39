"""Modals on somebody's screen: labels, and the state that a submission carries."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.fakes.slack.records import Payload
from tests.fakes.stage import Upload


class FormError(AssertionError):
    """The client would not send this form: a required field is empty, or a value does not fit."""


def labels(view: Payload) -> tuple[str, ...]:
    """The labels of the input blocks, in order."""
    return tuple(block["label"]["text"] for block in view["blocks"] if block["type"] == "input")


def state_values(
    view: Payload, values: Mapping[str, str | Upload], keep: Callable[[Upload], Payload]
) -> Payload:
    """`view.state.values` for these answers, keyed by block id and action id."""
    unknown = set(values) - set(labels(view))
    if unknown:
        raise FormError(f"the form has no field {sorted(unknown)}; it has {labels(view)}")
    state: Payload = {}
    for block in view["blocks"]:
        if block["type"] != "input":
            continue
        value = values.get(block["label"]["text"])
        if not value and not block.get("optional", False):
            raise FormError(f"{block['label']['text']!r} is required")
        state[block["block_id"]] = {block["element"]["action_id"]: _answer(block["element"], value, keep)}
    return state


def _answer(element: Payload, value: str | Upload | None, keep: Callable[[Upload], Payload]) -> Payload:
    kind = element["type"]
    if kind == "file_input":
        return {"type": kind, "files": [keep(value)] if isinstance(value, Upload) else []}
    if isinstance(value, Upload):
        raise FormError(f"a file does not go into a {kind}")
    if kind in ("static_select", "radio_buttons"):
        return {"type": kind, "selected_option": _option(element, value)}
    if kind == "checkboxes":
        chosen = _option(element, value)
        return {"type": kind, "selected_options": [chosen] if chosen else []}
    if value is not None and len(value) > element.get("max_length", 3_000):
        raise FormError(f"the field takes {element.get('max_length', 3_000)} characters, not {len(value)}")
    return {"type": kind, "value": value if value is not None else element.get("initial_value")}


def _option(element: Payload, value: str | None) -> Any:
    if value is None:
        return element.get("initial_option")
    for option in element["options"]:
        if value in (option["value"], option["text"]["text"]):
            return {"text": option["text"], "value": option["value"]}
    raise FormError(f"no option {value!r} among {[option['text']['text'] for option in element['options']]}")
