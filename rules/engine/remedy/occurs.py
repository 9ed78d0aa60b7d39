"""Which releases can have printed a message, as release facts tell it.

Not for reading the release out of a paste.
"""

from collections.abc import Mapping, Sequence

from packaging.version import Version

from rules.engine.rule.model import Rule
from rules.releases.release import Release, Releases


def releases_that_print(
    rule: Rule, captures: Mapping[str, str], candidates: Sequence[Version], releases: Releases
) -> tuple[Version, ...]:
    """Return the candidates whose encoder of that label refuses that backend; all, for an unknown label.

    Only rules that say `tower: true` are narrowed: their captures are an encoder's label and the backend it
    refused.
    """
    label, backend = captures.get("model"), captures.get("backend")
    if not rule.tower or not label or not backend:
        return tuple(candidates)
    fitting = tuple(version for version in candidates if _refuses(releases.get(version), label, backend))
    return fitting or tuple(candidates)


def _refuses(release: Release, label: str, backend: str) -> bool:
    tower = release.tower(label)
    if tower is None or not tower.reachable:
        return False
    return backend not in tower.accepts and release.backend(backend) is not None
