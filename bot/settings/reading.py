"""Reads the settings from the environment and a YAML file; every fault in one sentence. Not for what they mean."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_origin

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_settings import SettingsError

from bot.audit.keys import KEY_VARIABLE
from bot.settings.everything import PREFIX, Settings

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

CONFIG_VARIABLE = f"{PREFIX}CONFIG"
#: variables with our prefix that other parts read
_OTHER_VARIABLES = (KEY_VARIABLE,)
#: words in the names of settings whose values are never repeated; an address may hold a password
_UNSPOKEN = ("url", "token", "secret")

#: kind of fault → what we say of it
_OUR_WORDS = {
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_parsing": "must be a number",
    "bool_parsing": "must be true or false",
    "enum": "must be one of {expected}",
    "less_than_equal": "must be at most {le}",
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be more than {gt}",
    "tuple_type": "must be a list",
    "string_type": "must be text",
}


class BadSettingsError(Exception):
    """Settings cannot be used; one sentence for each fault."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__(" ".join(faults))
        self.faults = faults


def read_settings(file: Path | None = None) -> Settings:
    """Return the settings of the environment and a YAML file. Raises `BadSettingsError`."""
    named = file or (Path(os.environ[CONFIG_VARIABLE]) if os.environ.get(CONFIG_VARIABLE) else None)
    faults = _unknown_variables()
    try:
        settings = Settings(**_from_file(named))
    except ValidationError as error:
        told = {f"{PREFIX}{'__'.join(map(str, fault['loc']))}".upper(): fault for fault in error.errors()}
        others = [_sentence(fault) for name, fault in told.items() if not any(name in one for one in faults)]
        raise BadSettingsError((*faults, *others)) from error
    except SettingsError as error:
        raise BadSettingsError((*faults, *_no_json())) from error
    if faults:
        raise BadSettingsError(faults)
    return settings


def _from_file(file: Path | None) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        data = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadSettingsError((f"{file} cannot be read: {error.strerror}.",)) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f", line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
        raise BadSettingsError((f"{file}{place}: this is not YAML.",)) from error
    if data is None:
        return {}
    if not isinstance(data, dict) or not all(isinstance(name, str) for name in data):
        raise BadSettingsError((f"{file} must hold settings by name, such as 'console: {{port: 8080}}'.",))
    return data


def _no_json() -> tuple[str, ...]:
    """Return a sentence for each variable that should hold JSON and does not."""
    found = []
    for name, value in os.environ.items():
        group, _, inner = name.upper().removeprefix(PREFIX).lower().partition("__")
        field = Settings.model_fields.get(group)
        kind = field.annotation if field is not None and name.upper().startswith(PREFIX) else None
        is_group = isinstance(kind, type) and issubclass(kind, BaseModel)
        if is_group and inner:
            assert isinstance(kind, type) and issubclass(kind, BaseModel)  # noqa: S101, PT018 (for the types)
            within = kind.model_fields.get(inner)
            kind, is_group = (within.annotation if within is not None else None), False
        if (is_group or get_origin(kind) is tuple) and not _is_json(value):
            what = "a group of settings" if is_group else "a list"
            example = '{"name": "value"}' if is_group else '["a", "b"]'
            found.append(f"{name.upper()}: write {what} as JSON, such as '{example}'.")
    return tuple(found) or ('A variable that holds a list is not written as JSON, such as \'["a", "b"]\'.',)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _unknown_variables() -> tuple[str, ...]:
    """Return a sentence for each variable with our prefix that sets nothing."""
    known = {CONFIG_VARIABLE, *_OTHER_VARIABLES}
    for name, field in Settings.model_fields.items():
        known.add(f"{PREFIX}{name}".upper())
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            known.update(f"{PREFIX}{name}__{inner}".upper() for inner in field.annotation.model_fields)
    unknown = sorted(
        name for name in os.environ if name.upper().startswith(PREFIX) and name.upper() not in known
    )
    return tuple(f"{name} is no setting: see docs/reference/settings.md." for name in unknown)


def _sentence(fault: ErrorDetails) -> str:
    """Return one sentence that names the setting, by file and by variable, and what is wrong with it."""
    path = [str(part) for part in fault["loc"]]
    name = ".".join(path) or "settings"
    variable = PREFIX + "__".join(path).upper()
    ours = _OUR_WORDS.get(fault["type"], fault["msg"].removeprefix("Value error, "))
    message = ours.format(**fault.get("ctx", {})) if fault["type"] in _OUR_WORDS else ours
    if fault["type"] == "extra_forbidden":
        return f"{name} is no setting: see docs/reference/settings.md."
    is_plain = isinstance(fault["input"], str | int | float | list) and not any(
        word in name for word in _UNSPOKEN
    )
    given = f" (given: {repr(fault['input'])[:80]})" if path and is_plain else ""
    return f"{name} ({variable}): {message[:1].lower()}{message[1:]}{given}."
