"""What is remembered of a log between two lives of the program, as one line of JSON. Pure."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from bot.watching.following import Mark
from bot.watching.known import Raised


@dataclass(frozen=True, slots=True)
class Remembered:
    """Where reading goes on, and which failures were raised."""

    mark: Mark
    raised: dict[str, Raised] = field(default_factory=dict)

    def to_text(self) -> str:
        """Return it as JSON."""
        raised = {fingerprint: asdict(one) for fingerprint, one in self.raised.items()}
        return json.dumps({"mark": asdict(self.mark), "raised": raised})

    @classmethod
    def from_text(cls, text: str) -> Remembered | None:
        """Return what was written; None for what another release wrote."""
        try:
            data = json.loads(text)
            raised = {fingerprint: Raised(**one) for fingerprint, one in data["raised"].items()}
            return cls(Mark(**data["mark"]), raised)
        except (AttributeError, KeyError, TypeError, ValueError):
            return None
