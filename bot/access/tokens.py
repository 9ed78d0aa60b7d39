"""Secrets that people carry: made here, kept only as hashes. Not for whom they belong to."""

from __future__ import annotations

import hashlib
import hmac
import secrets

#: bytes of randomness in a token
_SIZE = 32
#: no token of ours is longer; what is longer is not even hashed
_LONGEST = 128


def new_token() -> str:
    """Return a fresh secret that nobody can guess."""
    return secrets.token_urlsafe(_SIZE)


def hash_of(token: str) -> str:
    """Return what is kept of a token. It has enough randomness that a plain hash hides it."""
    return hashlib.sha256(token[:_LONGEST].encode("utf-8", "replace")).hexdigest()


def csrf_of(token: str) -> str:
    """Return the word that a page of this session must send along with every change."""
    return hmac.new(token.encode("utf-8", "replace"), b"csrf", hashlib.sha256).hexdigest()


def is_csrf_of(token: str, word: str) -> bool:
    """Tell whether a page sent the word of its session."""
    return hmac.compare_digest(csrf_of(token).encode(), word.encode("utf-8", "replace"))
