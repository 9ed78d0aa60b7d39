"""The REST routes; importing this package fills `ROUTES`."""

from tests.fakes.discord.routes import application, channels, messages, webhooks
from tests.fakes.discord.routes.registry import ROUTES, Asked

__all__ = ["ROUTES", "Asked", "application", "channels", "messages", "webhooks"]
