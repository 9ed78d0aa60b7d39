"""Adapters: each speaks only its outer system and imports neither `bot` nor `rules`."""
