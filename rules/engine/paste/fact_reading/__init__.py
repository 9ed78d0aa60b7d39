"""Reads what a paste says of release, machine and launch, and joins it with what was given beside it."""

from rules.engine.paste.fact_reading.joining import read_facts

__all__ = ["read_facts"]
