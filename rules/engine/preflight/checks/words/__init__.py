"""Checks of the words that the parser gets: flags, their values, JSON, registered names."""
