"""The page of settings, from the model that reads them. Not for what a setting does."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic.fields import FieldInfo
    from pydantic_settings import BaseSettings


#: how a type is called in the page, and how a value of it is written
_KINDS = {
    "str": "text",
    "SecretStr": "secret",
    "int": "number",
    "float": "number",
    "bool": "true or false",
    "Path": "path",
}

_KEY_MEANING = "The journal's key in base64, instead of its file; after a change the earlier ones behind it."


def settings_page(model: type[BaseSettings], config_variable: str, key_variable: str) -> str:
    """Return the table of all settings: variable, what it holds, default, meaning."""
    prefix = model.model_config.get("env_prefix", "")
    delimiter = model.model_config.get("env_nested_delimiter") or "__"
    rows = [
        f"| `{name}` | {_kind(field)} | {_default(field)} | {_meaning(name, field)} |"
        for name, field in variables(model, prefix, delimiter)
    ]
    return "\n".join(
        [
            "# Settings",
            "",
            'Environment variables; none is needed to start. A list is written as JSON: `["a", "b"]`.',
            f"The same can stand in a YAML file that `{config_variable}` names, by groups:",
            "`console: {port: 8080}` is `VLLM_DIAGNOSE_CONSOLE__PORT=8080`. A variable wins over the file.",
            "",
            "| variable | holds | default | meaning |",
            "|--|--|--|--|",
            f"| `{config_variable}` | path | empty | YAML file of settings. |",
            f"| `{key_variable}` | secret | empty | {_KEY_MEANING} |",
            *rows,
            "",
        ]
    )


def variables(model: type[BaseModel], prefix: str, delimiter: str) -> Iterator[tuple[str, FieldInfo]]:
    """Yield every setting with the variable that sets it, those of nested models included."""
    for name, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from variables(inner, f"{prefix}{name}{delimiter}", delimiter)
        else:
            yield f"{prefix}{name}".upper(), field


def _kind(field: FieldInfo) -> str:
    if isinstance(field.annotation, type) and issubclass(field.annotation, StrEnum):
        return ", ".join(f"`{one}`" for one in field.annotation)
    text = str(getattr(field.annotation, "__name__", field.annotation))
    if get_origin(field.annotation) is tuple:
        return "list"
    named = get_args(field.annotation)
    names = [getattr(one, "__name__", str(one)) for one in named] or [text]
    return " or ".join(_KINDS.get(name, name) for name in names if name != "NoneType")


def _default(field: FieldInfo) -> str:
    if field.default_factory is not None:
        return "depends on the user"
    if field.default is PydanticUndefined:
        return "must be given"
    if isinstance(field.default, tuple):
        return f"`{json.dumps(list(field.default))}`"
    return "empty" if field.default is None or not str(field.default) else f"`{field.default}`"


def _meaning(name: str, field: FieldInfo) -> str:
    if not field.description:
        raise UndocumentedError(name)
    return " ".join(field.description.split()).replace("|", "\\|")


class UndocumentedError(Exception):
    """Something that people use has no description; write one where it is defined."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} has no description: write one where it is defined")
        self.name = name
