"""All settings together. Not for where they come from: that is `reading`."""

from __future__ import annotations

import os
from pathlib import Path

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from bot.settings.acting import AuditSettings, RelaunchSettings
from bot.settings.groups import ConsoleSettings, StoreSettings, TriageSettings
from bot.settings.platforms import DiscordSettings, SlackSettings

PREFIX = "VLLM_DIAGNOSE_"


def _state_dir() -> Path:
    base = os.environ.get("XDG_STATE_HOME")
    return (Path(base) if base else Path.home() / ".local" / "state") / "vllm-diagnose"


class Settings(BaseSettings):
    """Everything that can be set; nothing has to be."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True
    )

    state_dir: Path = Field(
        default_factory=_state_dir,
        validate_default=True,
        description="Folder of the store, an absolute path; made when missing.",
    )
    console: ConsoleSettings = ConsoleSettings()
    store: StoreSettings = StoreSettings()
    triage: TriageSettings = TriageSettings()
    slack: SlackSettings = SlackSettings()
    discord: DiscordSettings = DiscordSettings()
    relaunch: RelaunchSettings = RelaunchSettings()
    audit: AuditSettings = AuditSettings()

    @property
    def store_url(self) -> str:
        """Return the address of the store."""
        return self.store.url or f"sqlite+aiosqlite:///{self.state_dir / 'store.db'}"

    @property
    def journal_key_file(self) -> Path:
        """Return the file of the journal's key; the environment wins over it."""
        return self.audit.key_file or self.state_dir / "journal.key"

    @field_validator("state_dir")
    @classmethod
    def _is_whole_path(cls, value: Path) -> Path:
        if not value.is_absolute():
            raise ValueError("must be an absolute path")
        return value

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
