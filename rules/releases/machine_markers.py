"""Whether a requirement's marker holds on a machine. Not for requirements as a whole.

Nearly all markers of vLLM's requirements compare the machine or the system with fixed values. Those are read
here, for the library that reads all markers takes longer to import than a whole answer.
"""

import re
from functools import lru_cache

_COMPARISON = re.compile(
    r"""\s*(platform_machine|platform_system|sys_platform) *(==|!=) *["']([\w.-]+)["']\s*"""
)


@lru_cache(maxsize=4096)
def marker_holds(marker: str, machine: str) -> bool:
    """Tell whether a marker such as `platform_machine == "x86_64"` holds under Linux on that machine."""
    values = {"platform_machine": machine, "platform_system": "Linux", "sys_platform": "linux"}
    alternatives = [_all_hold(part, values) for part in re.split(r"\bor\b", marker)]
    if None not in alternatives:
        return any(alternatives)
    from packaging.markers import Marker  # noqa: PLC0415  # slow to import, and seldom needed

    return Marker(marker.strip()).evaluate(values)


def _all_hold(conjunction: str, values: dict[str, str]) -> bool | None:
    """Return whether all comparisons hold; None when one is of another kind."""
    found = [_COMPARISON.fullmatch(part) for part in re.split(r"\band\b", conjunction)]
    read = [match for match in found if match is not None]
    if len(read) < len(found):
        return None
    return all((values[match[1]] == match[3]) is (match[2] == "==") for match in read)
