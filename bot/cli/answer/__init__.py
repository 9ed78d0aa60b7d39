"""Answering a paste on the terminal."""
