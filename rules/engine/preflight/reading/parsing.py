"""Takes the words of a launch apart as vLLM's own parser does: argparse, with its additions. Not for values.

From argparse: a value behind `=`, unique beginnings of long flags, short flags with their value attached, how
many words a flag takes, one positional word. From vLLM: underscores for dashes, `-O3`, keys of JSON flags one by
one (`--compilation-config.level 3`), the model of `vllm serve` by `--model`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING

from rules.engine.preflight.reading.options import Option, Parsed, Problem, ProblemKind
from rules.releases.model import Flag, Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rules.releases.release import Release

_NUMBER = re.compile(r"-(?:\d+(?:\.\d*)?|\.\d+)\Z")
#: the flag that prints help and ends the program
_HELP = Flag("--help", Source("argparse", 0), aliases=("-h",), type="bool")
#: more words than anybody writes
MOST_WORDS = 1000
_LEVEL = "--optimization-level"


def parse(release: Release, words: Sequence[str], *, serve: bool) -> Parsed:
    """Return what the parser makes of the words after `vllm serve` (or after the module, without `serve`)."""
    given = list(words[:MOST_WORDS])
    model, by_flag = None, False
    if serve:
        model, given = _model_by_flag(given)
        by_flag = model is not None
    found = _Parser(release, [*([model] if model is not None else []), *_prepared(release, given)])
    found.run()
    loose = found.loose
    options = tuple(found.options)
    by_name = {option.flag.name: option for option in options}
    if loose and model is None:
        model = loose[0]
    if model is None and "--model" in by_name and by_name["--model"].values:
        model = by_name["--model"].values[0]
    extra = [Problem(ProblemKind.EXTRA_WORD, word) for word in loose[1:]]
    return Parsed(options, (*found.problems, *extra), model, by_flag, by_name)


def _model_by_flag(words: list[str]) -> tuple[str | None, list[str]]:
    """Return the model of the first `--model`, and the other words."""
    for place, word in enumerate(words):
        if word.startswith("--model="):
            return word.partition("=")[2], [*words[:place], *words[place + 1 :]]
        if word == "--model" and place + 1 < len(words):
            return words[place + 1], [*words[:place], *words[place + 2 :]]
    return None, words


def _prepared(release: Release, words: list[str]) -> Iterator[str]:
    """Yield the words with dashes for underscores in the names of flags, and `-O3` as two words."""
    has_level = release.flag(_LEVEL) is not None
    for place, word in enumerate(words):
        if word.startswith("--"):
            key, mark, value = word.partition("=")
            head, dot, rest = key.partition(".")
            yield f"{head.replace('_', '-')}{dot}{rest}{mark}{value}"
        elif word.startswith("-O") and len(word) > 2 and word[2] != ".":
            yield _LEVEL if has_level else "-O"
            yield word[2:].removeprefix("=")
        elif word == "-O" and has_level and words[place + 1 : place + 2] in (["0"], ["1"], ["2"], ["3"]):
            yield _LEVEL
        else:
            yield word


class _Parser:
    """One pass over the words."""

    def __init__(self, release: Release, words: list[str]) -> None:
        self._release = release
        self._words = words
        self._table = option_table(release)
        self.options: list[Option] = []
        self.problems: list[Problem] = []
        self.loose: list[str] = []

    def run(self) -> None:
        """Take all words."""
        place = 0
        while place < len(self._words):
            word = self._words[place]
            if word == "--":
                self.loose.extend(self._words[place + 1 :])
                return
            if not _looks_like_flag(word):
                self.loose.append(word)
                place += 1
            else:
                place = self._option(word, place + 1)

    def _option(self, word: str, place: int) -> int:
        """Take a flag, and return the place after its values."""
        key, mark, value = word.partition("=")
        attached = value if mark else None
        if "." in key and self._release.dotted_flags():
            return self._key(key, attached, place)
        exact = self._table.get(word) or self._table.get(key)
        if exact is not None:
            return self._known(exact, key, attached, place)
        matches = self._beginnings(key, attached)
        flags = {flag.name: (flag, rest) for flag, rest in matches}
        if len(flags) == 1:
            flag, rest = next(iter(flags.values()))
            return self._known(flag, key, rest, place)
        values = (
            (attached,) if attached is not None else self._words[place : self._end(place, len(self._words))]
        )
        if len(flags) > 1:
            self.problems.append(
                Problem(ProblemKind.AMBIGUOUS, key, tuple(values), candidates=tuple(sorted(flags)))
            )
        else:
            self.problems.append(Problem(ProblemKind.UNKNOWN_FLAG, key, tuple(values)))
        # the words behind a flag that stops the parser are its own, whatever argparse calls them
        return place if attached is not None else place + len(values)

    def _beginnings(self, key: str, attached: str | None) -> list[tuple[Flag, str | None]]:
        """Return the flags that a key may be the beginning of, with the value that each would get."""
        names = _sorted_names(self._release)
        longer = names[bisect_left(names, key) :]
        found = [
            (self._table[name], attached) for name in takewhile(lambda name: name.startswith(key), longer)
        ]
        if key.startswith("--"):
            return found
        whole = key if attached is None else f"{key}={attached}"
        short = self._table.get(whole[:2])
        return [*([(short, whole[2:])] if short is not None else []), *found]

    def _key(self, key: str, attached: str | None, place: int) -> int:
        values = [attached] if attached is not None else self._words[place : place + 1]
        after = place if attached is not None else place + len(values)
        head = key.partition(".")[0]
        parent = self._table.get(head) or self._release.flag(head)
        if parent is None:
            self.problems.append(Problem(ProblemKind.UNKNOWN_FLAG, key, tuple(values)))
            return after
        flag = self._release.flag(parent.name + key[len(head) :])
        if flag is None:
            self.problems.append(Problem(ProblemKind.UNKNOWN_KEY, key, tuple(values), parent))
        elif not values:
            self.problems.append(Problem(ProblemKind.NO_VALUE, key, (), flag))
        else:
            self.options.append(Option(flag, key, tuple(values), is_key=True))
        return after

    def _known(self, flag: Flag, spelled: str, attached: str | None, place: int) -> int:
        least, most = _arity(flag)
        if attached is not None:
            if most == 0:
                self.problems.append(Problem(ProblemKind.UNWANTED_VALUE, spelled, (attached,), flag))
            else:
                self.options.append(Option(flag, spelled, (attached,)))
            return place
        end = self._end(place, most)
        values = tuple(self._words[place:end])
        if len(values) < least:
            self.problems.append(Problem(ProblemKind.NO_VALUE, spelled, values, flag))
        else:
            self.options.append(Option(flag, spelled, values))
        return end

    def _end(self, place: int, most: int) -> int:
        """Return the end of the values that stand at a place."""
        end = place
        while end < len(self._words) and end - place < most and not _looks_like_flag(self._words[end]):
            if self._words[end] == "--":
                break
            end += 1
        return end


def _looks_like_flag(word: str) -> bool:
    """Tell whether argparse takes a word for a flag: a dash and more, no number, nothing with a blank."""
    if len(word) < 2 or not word.startswith("-") or word == "--":
        return False
    return not _NUMBER.match(word) and not (" " in word and "=" not in word.partition(" ")[0])


def _arity(flag: Flag) -> tuple[int, int]:
    """Return the least and the most values that a flag takes."""
    unbounded = 1 << 30
    if flag.nargs == "?":
        return 0, 1
    if flag.nargs == "*":
        return 0, unbounded
    if flag.nargs == "+":
        return 1, unbounded
    return (0, 0) if flag.type == "bool" else (1, 1)


@lru_cache(maxsize=128)
def option_table(release: Release) -> dict[str, Flag]:
    """Return the flags of a release by each of their spellings."""
    table = {spelling: flag for flag in (*release.flags(), _HELP) for spelling in flag.aliases}
    return table | {flag.name: flag for flag in (*release.flags(), _HELP)}


@lru_cache(maxsize=128)
def _sorted_names(release: Release) -> list[str]:
    return sorted(option_table(release))
