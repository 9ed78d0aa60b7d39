"""Tells names of encoders and backends from the stumps that a cut line leaves of them."""

from rules.engine.rule.model import Rule
from rules.releases.release import Releases


def is_stump(rule: Rule, name: str, value: str, releases: Releases) -> bool:
    """Tell whether a capture at the edge of a line is no name of any release, but may be a part of one.

    Only rules that say `tower: true` capture such names: an encoder's label as `model`, and its `backend`.
    """
    if not rule.tower:
        return False
    shipped = [releases.get(version) for version in reversed(releases.versions())]
    if name == "backend":
        return not any(release.backend(value) for release in shipped)
    if name == "model":
        labels = {tower.label for release in shipped for tower in release.towers()}
        return value not in labels and any(label.endswith(value) for label in labels)
    return False
