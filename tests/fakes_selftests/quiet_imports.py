"""discord.py imports `audioop`, which Python 3.11 and 3.12 announce as going: the one warning we let pass."""

import warnings

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", "'audioop' is deprecated", DeprecationWarning)
    import discord

__all__ = ["discord"]
