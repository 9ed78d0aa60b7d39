"""What the parser of a release makes of the words of a launch, as records. Not for parsing them."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rules.releases.model import Flag


class ProblemKind(StrEnum):
    """Why the parser stops."""

    #: no flag of that name
    UNKNOWN_FLAG = "unknown-flag"
    #: the JSON flag has no such key
    UNKNOWN_KEY = "unknown-key"
    #: a word that belongs to no flag
    EXTRA_WORD = "extra-word"
    #: the beginning of several flags
    AMBIGUOUS = "ambiguous"
    #: a flag that needs a value stands alone
    NO_VALUE = "no-value"
    #: a switch is given a value
    UNWANTED_VALUE = "unwanted-value"


@dataclass(frozen=True, slots=True)
class Option:
    """A flag that the release knows, with what follows it."""

    flag: Flag
    #: as it is written, without its value
    spelled: str
    values: tuple[str, ...] = ()
    #: True for one key of a JSON flag (`--attention-config.backend`)
    is_key: bool = False

    @property
    def is_negated(self) -> bool:
        """True for `--no-x`, where `--x` is the name of the flag."""
        return self.spelled.replace("_", "-").startswith("--no-") and not self.flag.name.startswith("--no-")


@dataclass(frozen=True, slots=True)
class Problem:
    """One reason for which the parser ends the program."""

    kind: ProblemKind
    #: as it is written, without its value
    spelled: str
    #: the words that follow it up to the next flag
    values: tuple[str, ...] = ()
    flag: Flag | None = None
    #: flags that an abbreviation may mean
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parsed:
    """The words of a launch as the parser of one release takes them."""

    options: tuple[Option, ...] = ()
    problems: tuple[Problem, ...] = ()
    model: str | None = None
    #: True where the model is given by `--model` to `vllm serve`
    model_by_flag: bool = False
    #: by name of the flag, the last one of several
    by_name: dict[str, Option] = field(default_factory=dict, compare=False)

    def option(self, name: str) -> Option | None:
        """Return a flag as it counts; None when it is not given."""
        return self.by_name.get(name)

    def value(self, name: str) -> str | None:
        """Return the only value of a flag; None when it is not given, or has none or several."""
        option = self.by_name.get(name)
        return option.values[0] if option is not None and len(option.values) == 1 else None

    def is_on(self, name: str) -> bool | None:
        """Tell whether a switch is on or off; None when it is not given."""
        option = self.by_name.get(name)
        if option is None:
            return None
        if option.values:
            return option.values[0].lower() in {"true", "1", "yes"}
        return not option.is_negated
