"""The timer that restores a server when the bot never comes back."""
