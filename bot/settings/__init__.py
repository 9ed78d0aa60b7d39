"""What an operator can set, by environment variable or in a YAML file. Read at start, never at import.

A variable is named after the path of its setting: `console.port` is `VLLM_DIAGNOSE_CONSOLE__PORT`. It wins
over the file, and the file is named by `VLLM_DIAGNOSE_CONFIG`.
"""

from bot.settings.acting import AuditSettings, RelaunchSettings
from bot.settings.everything import PREFIX, FixedSettings, Settings
from bot.settings.groups import ConsoleSettings, StoreSettings, TriageSettings
from bot.settings.platforms import DiscordSettings, IntakeMode, SlackDelivery, SlackSettings
from bot.settings.reading import CONFIG_VARIABLE, BadSettingsError, read_settings

__all__ = [
    "CONFIG_VARIABLE",
    "PREFIX",
    "AuditSettings",
    "BadSettingsError",
    "ConsoleSettings",
    "DiscordSettings",
    "FixedSettings",
    "IntakeMode",
    "RelaunchSettings",
    "Settings",
    "SlackDelivery",
    "SlackSettings",
    "StoreSettings",
    "TriageSettings",
    "read_settings",
]
