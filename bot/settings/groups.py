"""Settings of the page, the store, diagnosis and figures, in groups. Not for reading them."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

_CHANNEL = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


class Group(BaseModel):
    """Settings that belong together."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ConsoleSettings(Group):
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


class StoreSettings(Group):
    """Where things are kept."""

    url: str | None = Field(
        default=None, description="SQLAlchemy address; none: a file of SQLite below state_dir."
    )
    keep_days: Annotated[
        int, Field(ge=0, le=3650, description="Days that what was said is kept; 0 keeps it for ever.")
    ] = 90


class TriageSettings(Group):
    """Diagnosis."""

    workers: Annotated[int, Field(ge=1, le=64, description="Processes that diagnose.")] = 1
    timeout_s: Annotated[float, Field(gt=0, le=3600, description="Seconds one diagnosis may take.")] = 60.0
    file_limit_mib: Annotated[int, Field(ge=1, le=4096, description="Largest file that is read, in MiB.")] = (
        256
    )
    allowed_bots: tuple[str, ...] = Field(default=(), description="Ids of bots whose messages are looked at.")
