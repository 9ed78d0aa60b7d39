"""A launch: exactly the argv and environment that a server is started with. Not for changing one."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Mapping


@dataclass(frozen=True)
class Spec:
    """A command and its whole environment, unmasked: never leaves the host as it is."""

    argv: tuple[str, ...]
    env: Mapping[str, str]

    @property
    def hash(self) -> str:
        """Return SHA-256 over the canonical JSON of both, hexadecimal."""
        body = {"argv": list(self.argv), "env": dict(self.env)}
        text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode("ascii")).hexdigest()

    def as_json(self) -> dict[str, object]:
        """Return it for a state file."""
        return {"argv": list(self.argv), "env": dict(self.env)}
