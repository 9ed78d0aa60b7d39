"""Whose output a paste is: of vLLM, or of which other program."""
