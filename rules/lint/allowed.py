"""What may be changed of a launch from chat: the list of `allowed.yaml`. Not for what a release knows."""

from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).parent / "allowed.yaml"


@lru_cache
def _lists() -> dict[str, list[str]]:
    data: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return data


def may_change_variable(name: str) -> bool:
    """Tell whether an environment variable may be set or removed."""
    return _matches(name, "variables")


def may_change_flag(name: str) -> bool:
    """Tell whether a flag of `vllm serve` may be set or dropped."""
    return _matches(name, "flags")


def _matches(name: str, what: str) -> bool:
    lists = _lists()
    if any(fnmatchcase(name, pattern) for pattern in lists["never"]):
        return False
    return any(fnmatchcase(name, pattern) for pattern in lists[what])
