"""The page of settings, from the model that reads them. Not for what a setting does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic.fields import FieldInfo
    from pydantic_settings import BaseSettings


def settings_page(model: type[BaseSettings]) -> str:
    """Return the table of all settings: variable, type, default, meaning."""
    prefix = model.model_config.get("env_prefix", "")
    delimiter = model.model_config.get("env_nested_delimiter") or "__"
    rows = [
        f"| `{name}` | {_kind(field)} | {_default(field)} | {_meaning(name, field)} |"
        for name, field in variables(model, prefix, delimiter)
    ]
    head = ["# Settings", "", "Environment variables; none is needed to start.", ""]
    return "\n".join([*head, "| variable | type | default | meaning |", "|--|--|--|--|", *rows, ""])


def variables(model: type[BaseModel], prefix: str, delimiter: str) -> Iterator[tuple[str, FieldInfo]]:
    """Yield every setting with the variable that sets it, those of nested models included."""
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from variables(inner, f"{prefix}{name}{delimiter}", delimiter)
        else:
            yield f"{prefix}{name}".upper(), field


def _kind(field: FieldInfo) -> str:
    kind = field.annotation
    name = kind.__name__ if isinstance(kind, type) and not getattr(kind, "__args__", None) else str(kind)
    return f"`{name.replace('typing.', '').replace('|', 'or')}`"


def _default(field: FieldInfo) -> str:
    if field.default_factory is not None:
        return "made at start"
    if field.default is PydanticUndefined:
        return "must be given"
    shown = str(field.default) if field.default is not None else ""
    return f"`{shown}`" if shown else "empty"


def _meaning(name: str, field: FieldInfo) -> str:
    if not field.description:
        raise UndocumentedError(name)
    return " ".join(field.description.split()).replace("|", "\\|")


class UndocumentedError(Exception):
    """Something that people use has no description; write one where it is defined."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} has no description: write one where it is defined")
        self.name = name
