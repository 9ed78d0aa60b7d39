"""What an operator can set, by environment variable or in a YAML file. Read in `bootstrap`, never at import.

A variable is named after the path of its setting: `console.port` is `VLLM_DIAGNOSE_CONSOLE__PORT`. It wins
over the file, and the file is named by `VLLM_DIAGNOSE_CONFIG`.
"""

from __future__ import annotations

import os
import re
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self
from urllib.parse import urlsplit

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, SettingsError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

PREFIX = "VLLM_DIAGNOSE_"
CONFIG_VARIABLE = f"{PREFIX}CONFIG"
#: variables with our prefix that other parts read
_OTHER_VARIABLES: tuple[str, ...] = ()
_CHANNEL = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


class BadSettingsError(Exception):
    """Settings cannot be used; one sentence for each fault."""

    def __init__(self, faults: tuple[str, ...]) -> None:
        super().__init__(" ".join(faults))
        self.faults = faults


class _Group(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ConsoleSettings(_Group):
    """The local page."""

    host: str = Field(
        default="127.0.0.1", description="Address to listen on; any but loopback needs signed-in people."
    )
    port: Annotated[int, Field(ge=0, le=65535, description="Port to listen on; 0 takes a free one.")] = 8765
    public_url: str | None = Field(
        default=None, description="Address that people use, if it differs (a proxy)."
    )
    trusted_hosts: tuple[str, ...] = Field(default=(), description="More host names that requests may name.")
    channels: tuple[str, ...] = Field(default=("incidents", "general"), description="Rooms of the page.")
    session_hours: Annotated[int, Field(ge=1, le=720, description="Hours until people sign in again.")] = 12
    messages_per_minute: Annotated[
        int, Field(ge=1, le=6000, description="Messages and clicks one session may send in a minute.")
    ] = 60

    @field_validator("host")
    @classmethod
    def _is_address(cls, value: str) -> str:
        if value != "localhost":
            try:
                ip_address(value)
            except ValueError as error:
                raise ValueError("must be an IP address or localhost") from error
        return value

    @field_validator("public_url")
    @classmethod
    def _is_url(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path.strip("/"):
            raise ValueError("must look like https://triage.example.org, without a path")
        return value.rstrip("/")

    @field_validator("channels")
    @classmethod
    def _are_channels(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not value or len(set(value)) != len(value):
            raise ValueError("must name at least one channel, and each once")
        for name in value:
            if not _CHANNEL.fullmatch(name):
                raise ValueError(f"may only hold small letters, digits, - and _: {name!r} does not")
        return value

    @property
    def is_loopback(self) -> bool:
        """Tell whether only this machine can reach the page."""
        return self.host == "localhost" or ip_address(self.host).is_loopback


class StoreSettings(_Group):
    """Where things are kept."""

    url: str | None = Field(
        default=None, description="SQLAlchemy address; none: a file of SQLite below state_dir."
    )


class TriageSettings(_Group):
    """Diagnosis."""

    workers: Annotated[int, Field(ge=1, le=64, description="Processes that diagnose.")] = 1
    timeout_s: Annotated[float, Field(gt=0, le=3600, description="Seconds one diagnosis may take.")] = 60.0
    file_limit_mib: Annotated[int, Field(ge=1, le=4096, description="Largest file that is read, in MiB.")] = (
        256
    )
    allowed_bots: tuple[str, ...] = Field(default=(), description="Ids of bots whose messages are looked at.")


def _state_dir() -> Path:
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "vllm-diagnose"


class Settings(BaseSettings):
    """Everything that can be set; nothing has to be."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True
    )

    state_dir: Path = Field(default_factory=_state_dir, description="Folder of the store; made when missing.")
    console: ConsoleSettings = ConsoleSettings()
    store: StoreSettings = StoreSettings()
    triage: TriageSettings = TriageSettings()

    @property
    def store_url(self) -> str:
        """Return the address of the store."""
        return self.store.url or f"sqlite+aiosqlite:///{self.state_dir / 'store.db'}"

    @model_validator(mode="after")
    def _has_absolute_state(self) -> Self:
        if not self.state_dir.is_absolute():
            raise ValueError("state_dir must be an absolute path")
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let the environment win over what is passed in: that comes from the file."""
        del settings_cls, dotenv_settings, file_secret_settings
        return env_settings, init_settings


class FixedSettings(Settings):
    """Settings that no environment and no file changes."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Take only what is passed in."""
        del settings_cls, env_settings, dotenv_settings, file_secret_settings
        return (init_settings,)


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
        raise BadSettingsError((*faults, f'{error}: write lists as JSON, such as \'["a", "b"]\'.')) from error
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
        place = str(getattr(error, "problem_mark", "") or "").strip()
        raise BadSettingsError((f"{file} is not YAML {place}.".replace(" .", "."),)) from error
    if data is None:
        return {}
    if not isinstance(data, dict) or not all(isinstance(name, str) for name in data):
        raise BadSettingsError((f"{file} must hold settings by name, such as 'console: {{port: 8080}}'.",))
    return data


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
    message = fault["msg"].removeprefix("Value error, ")
    if fault["type"] == "extra_forbidden":
        return f"{name} is no setting: see docs/reference/settings.md."
    shown = repr(fault["input"])
    # an address may hold a password
    given = f" (given: {shown[:80]})" if path and "url" not in path[-1] else ""
    return f"{name} ({variable}): {message[:1].lower()}{message[1:]}{given}."
