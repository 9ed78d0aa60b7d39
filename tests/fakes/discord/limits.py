"""Discord's size limits and the form of its complaint (code 50035, errors as a tree)."""

from typing import Any

from tests.fakes.discord.records import COMPONENTS_V2, EMPTY_MESSAGE, ApiError, Payload

CONTENT = 2_000
EMBEDS = 10
EMBED_CHARACTERS = 6_000
CUSTOM_ID = 100
BUTTONS_IN_A_ROW = 5
ROWS = 5
V2_COMPONENTS = 40
THREAD_NAME = 100
MODAL_TITLE = 45
MODAL_PARTS = 5
LABEL = 45
_EMBED_FIELDS = {"title": 256, "description": 4_096}


class Complaint:
    """Collects what is wrong, by path; `check` raises if there was anything."""

    def __init__(self) -> None:
        self._tree: Payload = {}

    def length(self, value: Any, most: int, *path: str | int) -> None:
        """A text must not be longer than `most` characters."""
        if isinstance(value, str) and len(value) > most:
            self.add("BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length.", *path)

    def count(self, value: list[Any], most: int, *path: str | int) -> None:
        """A list must not hold more than `most` things."""
        if len(value) > most:
            self.add("BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length.", *path)

    def add(self, code: str, message: str, *path: str | int) -> None:
        node = self._tree
        for step in path:
            node = node.setdefault(str(step), {})
        node.setdefault("_errors", []).append({"code": code, "message": message})

    def check(self) -> None:
        if self._tree:
            raise ApiError(400, 50035, "Invalid Form Body", self._tree)


def check_message(body: Payload, *, files: int, partial: bool = False) -> None:
    """Refuse what Discord would refuse of a message to create, or to change (`partial`)."""
    complaint = Complaint()
    content, embeds, components = body.get("content"), body.get("embeds") or [], body.get("components") or []
    complaint.length(content, CONTENT, "content")
    complaint.count(embeds, EMBEDS, "embeds")
    for number, embed in enumerate(embeds):
        _check_embed(complaint, embed, number)
    if sum(_embed_size(embed) for embed in embeds) > EMBED_CHARACTERS:
        complaint.add(
            "MAX_EMBED_SIZE_EXCEEDED", f"Embed size exceeds maximum size of {EMBED_CHARACTERS}", "embeds"
        )
    if (body.get("flags") or 0) & COMPONENTS_V2:
        if content or embeds:
            complaint.add(
                "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
                "The field cannot be used with V2",
                "content",
            )
        if _count_components(components) > V2_COMPONENTS:
            complaint.count([0] * _count_components(components), V2_COMPONENTS, "components")
    else:
        complaint.count(components, ROWS, "components")
    _check_components(complaint, components, ("components",))
    complaint.check()
    if not partial and not (content or embeds or components or files or body.get("sticker_ids")):
        raise ApiError(*EMPTY_MESSAGE)


def check_modal(modal: Payload) -> None:
    """The same for a form."""
    complaint = Complaint()
    complaint.length(modal.get("title"), MODAL_TITLE, "data", "title")
    complaint.length(modal.get("custom_id"), CUSTOM_ID, "data", "custom_id")
    parts = modal.get("components") or []
    if not 1 <= len(parts) <= MODAL_PARTS:
        complaint.add(
            "BASE_TYPE_BAD_LENGTH", f"Must be between 1 and {MODAL_PARTS} in length.", "data", "components"
        )
    for number, part in enumerate(parts):
        complaint.length(part.get("label"), LABEL, "data", "components", number, "label")
        complaint.length(part.get("description"), 100, "data", "components", number, "description")
        for inner in [part.get("component"), *part.get("components", [])]:
            if inner and inner["type"] == 4:
                complaint.length(inner.get("placeholder"), 100, "data", "components", number, "placeholder")
                complaint.length(inner.get("value"), 4_000, "data", "components", number, "value")
    complaint.check()


def _check_embed(complaint: Complaint, embed: Payload, number: int) -> None:
    at = ("embeds", number)
    for name, most in _EMBED_FIELDS.items():
        complaint.length(embed.get(name), most, *at, name)
    complaint.length((embed.get("footer") or {}).get("text"), 2_048, *at, "footer", "text")
    complaint.length((embed.get("author") or {}).get("name"), 256, *at, "author", "name")
    fields = embed.get("fields") or []
    complaint.count(fields, 25, *at, "fields")
    for place, field in enumerate(fields):
        for name, most in (("name", 256), ("value", 1_024)):
            if not field.get(name):
                complaint.add("BASE_TYPE_REQUIRED", "This field is required", *at, "fields", place, name)
            complaint.length(field.get(name), most, *at, "fields", place, name)


def _embed_size(embed: Payload) -> int:
    texts = [embed.get("title"), embed.get("description")]
    texts += [(embed.get("footer") or {}).get("text"), (embed.get("author") or {}).get("name")]
    texts += [text for field in embed.get("fields") or [] for text in (field.get("name"), field.get("value"))]
    return sum(len(text) for text in texts if text)


def _count_components(components: list[Payload]) -> int:
    return sum(1 + _count_components(one.get("components") or []) for one in components)


def _check_choice(complaint: Complaint, choice: Payload, at: tuple[str | int, ...]) -> None:
    options = choice.get("options") or []
    complaint.length(choice.get("placeholder"), 150, *at, "placeholder")
    complaint.count(options, 25, *at, "options")
    if not options:
        complaint.add("BASE_TYPE_BAD_LENGTH", "Must be between 1 and 25 in length.", *at, "options")
    if len({option["value"] for option in options}) < len(options):
        complaint.add("SELECT_COMPONENT_OPTION_VALUE_DUPLICATED", "The value is already used", *at, "options")
    for number, option in enumerate(options):
        for name in ("label", "value"):
            if not option.get(name):
                complaint.add("BASE_TYPE_REQUIRED", "This field is required", *at, "options", number, name)
            complaint.length(option.get(name), 100, *at, "options", number, name)


def _check_components(complaint: Complaint, components: list[Payload], at: tuple[str | int, ...]) -> None:
    for number, one in enumerate(components):
        here = (*at, number)
        if one["type"] == 1:
            complaint.count(one.get("components") or [], BUTTONS_IN_A_ROW, *here, "components")
        if one["type"] == 10:
            complaint.length(one.get("content"), 4_000, *here, "content")
        complaint.length(one.get("label"), 80, *here, "label")
        complaint.length(one.get("custom_id"), CUSTOM_ID, *here, "custom_id")
        if one["type"] == 3:
            _check_choice(complaint, one, here)
        _check_components(complaint, one.get("components") or [], (*here, "components"))
