"""One launch in one release, with all that is known beside it: what every check is asked about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rules.engine.preflight.model_shape import ModelShape
from rules.engine.preflight.shown import shown

if TYPE_CHECKING:
    from packaging.version import Version

    from rules.engine.preflight.reading.launch import Launch
    from rules.engine.preflight.reading.options import Option, Parsed
    from rules.engine.preflight.setting import Known
    from rules.releases.release import Release, Releases

_WHOLE = re.compile(r"\s*[+-]?\d[\d_]*\s*\Z")
#: no setting of a server has more digits
_LONGEST_NUMBER = 18


@dataclass(frozen=True)
class Case:
    """What a check looks at."""

    release: Release
    releases: Releases
    launch: Launch
    parsed: Parsed
    known: Known

    @property
    def version(self) -> Version:
        """The release that is asked about."""
        return self.release.version

    @cached_property
    def shape(self) -> ModelShape:
        """What the model's configuration says; nothing where it is not at hand."""
        return ModelShape.of(self.known.model_config, self.parsed.model)

    def env(self, name: str) -> str | None:
        """Return a variable of the server, None when it is not set."""
        return self.launch.env.get(name)

    def is_open(self, text: str) -> bool:
        """Tell whether a text holds what nobody can know before the launch (`${SIZE}`)."""
        return any(part and part in text for part in self.launch.unresolved)

    def number(self, name: str) -> int | None:
        """Return a whole number that a flag is given; None without one."""
        text = self.parsed.value(name)
        if text is None or self.is_open(text):
            return None
        return whole_number(text)

    def read(self, option: Option) -> tuple[str, ...]:
        """Return the values of a flag that are known; none where one of them is open."""
        return () if any(self.is_open(value) for value in option.values) else option.values

    def shown(self, option: Option, value: str) -> str:
        """Return a value as it may be printed: masked, and cut when it is long."""
        return shown(option.flag.name, value)


def whole_number(text: str) -> int | None:
    """Return a whole number as vLLM reads it, with `1k`, `2M` and the like; None for another text.

    >>> whole_number("32k"), whole_number("1K"), whole_number("many")
    (32000, 1024, None)
    """
    text = text.strip()
    if len(text) > _LONGEST_NUMBER:
        return None
    if _WHOLE.match(text):
        return int(text)
    scales = {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
    scales |= {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([kKmMgGtT])", text)
    if found is None or ("." in found[1] and found[2].isupper()):
        return None
    return int(float(found[1]) * scales[found[2]])
