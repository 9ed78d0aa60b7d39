"""Reads the words after a mention or a command, and tells a question in words from something to diagnose.

A question stands on the first line. What else follows makes it a paste, so that a log that happens to begin
with one of the words is diagnosed like any other. Pure; not for answering.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.asking.launch_text import is_launch_text
from bot.asking.options import Options, plain_dashes, take_options, without_fence
from bot.asking.sorting import sorted_words

#: what may stand before the first word: what is left of "@bot: ..."
_LEADING = " \t\n,:;-"
#: nobody asks in more letters; a launch is read further
_LONGEST_LINE = 2_000
_LONGEST_LAUNCH = 40_000
_FIRST_WORD = re.compile(r"([A-Za-z]+)(?=[\s?!.`]|\Z)")


@dataclass(frozen=True, slots=True)
class HelpRequest:
    """What can be asked."""


@dataclass(frozen=True, slots=True)
class BackendsRequest:
    """Which attention backends work there; what was not said is None."""

    version: str | None = None
    gpu: str | None = None
    model: str | None = None
    kv_cache_dtype: str | None = None
    block_size: int | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """Whether a launch would start."""

    #: as it was written: a command, with its variables, or a file that holds one; empty: none was given
    launch: str
    version: str | None = None
    gpu: str | None = None
    language: str | None = None


Request = HelpRequest | BackendsRequest | CheckRequest


#: first words of a question
_BACKENDS, _CHECK, _HELP = frozenset({"backends", "backend"}), frozenset({"check", "preflight"}), "help"


def may_ask(text: str) -> bool:
    """Tell at no cost whether a text begins like a question; `read_request` then tells whether it is one."""
    if len(text) > _LONGEST_LAUNCH:
        return False
    found = _FIRST_WORD.match(without_fence(text.lstrip(_LEADING)))
    return found is not None and found[1].lower() in {*_BACKENDS, *_CHECK, _HELP}


def read_request(text: str) -> Request | None:
    """Return what is asked; None when the text is to be diagnosed."""
    text = without_fence(text[: _LONGEST_LAUNCH + 1].lstrip(_LEADING))
    found = _FIRST_WORD.match(text)
    if found is None or len(text) > _LONGEST_LAUNCH:
        return None
    word, rest = found[1].lower(), text[found.end() :]
    if word in _CHECK:
        return _check(rest)
    rest = rest.strip(" \t?!.`\n")
    if "\n" in rest or len(rest) > _LONGEST_LINE:
        return None
    if word == _HELP:
        return HelpRequest() if rest.lower() in {"", "backends", "check", "diagnose"} else None
    if word in _BACKENDS:
        return _backends(rest)
    return None


def _backends(line: str) -> BackendsRequest | None:
    options = take_options(line.split())
    words = sorted_words(options.rest)
    if words is None:
        return None
    version = options.version or words.version
    gpu = options.gpu or words.gpu
    model = options.model or words.model
    if words.is_doubtful and version is None and gpu is None:
        return None
    return BackendsRequest(version, gpu, model, options.kv_cache_dtype, options.block_size, options.language)


def _check(rest: str) -> CheckRequest | None:
    first, newline, others = rest.partition("\n")
    options, launch = _before_launch(first)
    launch = without_fence(f"{launch}{newline}{others}".strip())
    if launch and not is_launch_text(launch):
        return None
    return CheckRequest(launch, options.version, options.gpu, options.language)


def _before_launch(line: str) -> tuple[Options, str]:
    """Return the options of ours that stand before the launch, and the rest of the line as it is."""
    words: list[str] = []
    for found in re.finditer(r"\S+", line):
        word = plain_dashes(found[0])
        if word == "--":
            return take_options(words), line[found.end() :]
        wants_value = bool(words) and words[-1].startswith("--") and "=" not in words[-1]
        if not (word.startswith("--") or wants_value):
            return take_options(words), line[found.start() :]
        words.append(word)
    return take_options(words), ""
