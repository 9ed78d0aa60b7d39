"""What is shipped of the releases of vLLM, for whoever plans. Not for reading it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rules.releases.release import UnknownReleaseError
from rules.releases.shipped import load_releases

if TYPE_CHECKING:
    from rules.releases.release import Release


class ShippedFacts:
    """What is shipped of the releases of vLLM; meets `bot.relaunch.planning.drafting.ReleaseFacts`."""

    def release(self, version: str) -> Release | None:
        """Return the facts of a release; None where they are not shipped."""
        try:
            return load_releases().get(version)
        except UnknownReleaseError:
            return None
