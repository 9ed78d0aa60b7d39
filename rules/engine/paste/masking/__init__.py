"""Masks what is nobody else's business before anything is stored, logged or echoed."""

from rules.engine.paste.masking.masker import mask

__all__ = ["mask"]
