"""Settings of what the bot does on hosts, and of the journal it keeps of that. Not for the hosts themselves."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 (pydantic reads the types)
from typing import Annotated

from pydantic import Field, field_validator

from bot.settings.groups import Group


class RelaunchSettings(Group):
    """Acting on GPU hosts; without a registry the bot only diagnoses."""

    registry: Path | None = Field(
        default=None, description="YAML file of hosts, servers, people and roles; an absolute path."
    )
    enabled: bool = Field(default=True, description="The kill switch: false refuses every act on a host.")
    dry_run: bool = Field(
        default=True, description="Plan and ask for approval, but change nothing; turn it off on purpose."
    )
    engine_url: str | None = Field(
        default=None,
        description="SQLAlchemy address where running relaunches are remembered; none: a file below state_dir.",
    )
    approval_minutes: Annotated[
        int, Field(ge=1, le=24 * 60, description="Minutes that a plan waits for approval.")
    ] = 30
    soak_seconds: Annotated[
        int, Field(ge=0, le=3600, description="Seconds that a relaunched server must hold before it counts.")
    ] = 30
    start_minutes: Annotated[
        int, Field(ge=1, le=240, description="Minutes that a start may take at most, whatever it shows.")
    ] = 40
    per_person_per_hour: Annotated[
        int, Field(ge=1, le=100, description="Relaunches one person may ask for in an hour.")
    ] = 3

    @field_validator("registry")
    @classmethod
    def _is_whole_path(cls, value: Path | None) -> Path | None:
        if value is not None and not value.is_absolute():
            raise ValueError("must be an absolute path")
        return value


class AuditSettings(Group):
    """The journal of acts on hosts."""

    key_file: Path | None = Field(
        default=None,
        description="File with the journal's key in base64; none: one below state_dir, made when missing.",
    )
    head_file: Path | None = Field(
        default=None, description="File that the journal's head is added to every minute."
    )
    head_syslog: bool = Field(default=False, description="Send the journal's head to syslog every minute.")
