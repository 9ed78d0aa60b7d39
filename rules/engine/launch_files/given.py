"""The environment that a launch gets from its file. Not for what the variables mean."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from rules.engine.launch_files.found import RemarkKind, UnreadableError

#: no launch gets more variables from one file
_MOST_VARIABLES: Final = 1000


@dataclass(frozen=True, slots=True)
class Given:
    """The environment that a launch gets from its file."""

    values: Mapping[str, str] = field(default_factory=dict)
    #: variables that are set to what is not known
    open: frozenset[str] = frozenset()
    unset: frozenset[str] = frozenset()

    def having(self, values: Mapping[str, str], unknown: Iterable[str] = ()) -> "Given":
        """Return it with these variables set too."""
        unknown = frozenset(unknown)
        merged = {name: value for name, value in {**self.values, **values}.items() if name not in unknown}
        if len(merged) + len(self.open) > _MOST_VARIABLES:
            raise UnreadableError(
                RemarkKind.TOO_LARGE, None, f"more than {_MOST_VARIABLES} variables for one launch"
            )
        return Given(merged, (self.open - values.keys()) | unknown, self.unset - values.keys() - unknown)

    def without(self, names: Iterable[str]) -> "Given":
        """Return it with these variables taken away."""
        gone = frozenset(names)
        kept = {name: value for name, value in self.values.items() if name not in gone}
        return Given(kept, self.open - gone, self.unset | gone)
