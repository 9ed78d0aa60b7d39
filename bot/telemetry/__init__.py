"""Figures about the bot's own work."""
