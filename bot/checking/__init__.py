"""Checking launches, for the terminal and for chat alike: from a command or a file to findings."""
