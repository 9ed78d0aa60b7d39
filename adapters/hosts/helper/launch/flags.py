"""Sets and drops flags of a command line. Not for which may be: the host's list says that."""

from __future__ import annotations

import re
from typing import Iterable, Mapping

from ..refusal import UNABLE, Refusal

_NUMBER = re.compile(r"-(?:\d|\.\d)")


def change_flags(
    argv: Iterable[str], flags_set: Mapping[str, str], flags_unset: Iterable[str]
) -> tuple[str, ...]:
    """Return a command line with flags set as `--name=value` where they stood, else at the end, and others dropped.

    A flag is found in any spelling that vLLM reads: with dashes or underscores, its value joined or apart, twice.
    """
    words = list(argv)
    for name in flags_unset:
        words = _without(words, name)[0]
    for name, value in flags_set.items():
        words, place = _without(words, name)
        words.insert(len(words) if place is None else place, "%s=%s" % (name, value) if value else name)
    return tuple(words)


def _without(words: list[str], name: str) -> tuple[list[str], int | None]:
    kept: list[str] = []
    place = None
    at = 0
    while at < len(words):
        word = words[at]
        if _name(word) != name:
            kept.append(word)
            at += 1
            continue
        if place is None:
            place = len(kept)
        at += 1 if "=" in word else 1 + _values(words, at)
    return kept, place


def _name(word: str) -> str:
    return word.partition("=")[0].replace("_", "-") if word.startswith("--") else word


def _values(words: list[str], at: int) -> int:
    """Count the words after a flag that are its value and not the model of `vllm serve`."""
    following = 0
    for word in words[at + 1 :]:
        if word.startswith("-") and not _NUMBER.match(word):
            break
        following += 1
    if following and not _names_model_first(words[:at]):
        raise Refusal(
            UNABLE,
            "the launch names its model after %s, so it cannot be told what belongs to the flag" % words[at],
            "write the model right after serve in the registered launch, or the flag as --name=value",
        )
    return following


def _names_model_first(before: list[str]) -> bool:
    """Tell whether no bare word can stand later: the model is named already, or never without a flag."""
    if "serve" not in before:
        return True
    after = before[before.index("serve") + 1 :]
    return any(_name(word) == "--model" for word in after) or (bool(after) and not after[0].startswith("-"))
