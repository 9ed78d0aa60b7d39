"""Options among the words of a question, as on the command line; chat clients bend their dashes. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

#: what clients make of two dashes
_DASHES = ("—", "–", "−−", "‐‐")
_QUOTES = "\"'“”‘’`"
_FENCE = "```"
#: the option's name → the field that it fills
_VALUES = {
    "--vllm-version": "version",
    "--version": "version",
    "--gpu": "gpu",
    "--model": "model",
    "--kv-cache-dtype": "kv_cache_dtype",
    "--block-size": "block_size",
    "--lang": "language",
}
#: options without a value, which mean nothing here
_SWITCHES = frozenset({"--json"})
_LANGUAGES = frozenset({"en", "zh"})
#: words of the longest GPU's name
_LONGEST_VALUE = 5


@dataclass(frozen=True, slots=True)
class Options:
    """The options that were found, and the words that are none."""

    version: str | None = None
    gpu: str | None = None
    model: str | None = None
    kv_cache_dtype: str | None = None
    block_size: int | None = None
    language: str | None = None
    rest: tuple[str, ...] = field(default=())


def take_options(words: list[str]) -> Options:
    """Return the options with their values; a value in quotes may have blanks."""
    found: dict[str, str] = {}
    rest: list[str] = []
    place = 0
    while place < len(words):
        name, mark, value = plain_dashes(words[place]).partition("=")
        name = name.lower().replace("_", "-")
        place += 1
        if name in _SWITCHES:
            continue
        if name not in _VALUES:
            rest.append(words[place - 1])
            continue
        if not mark:
            value, place = (words[place], place + 1) if place < len(words) else ("", place)
        value, place = _quoted(value, words, place)
        found[_VALUES[name]] = value.strip(_QUOTES)
    block = found.get("block_size", "")
    language = found.get("language")
    return Options(
        version=found.get("version") or None,
        gpu=found.get("gpu") or None,
        model=found.get("model") or None,
        kv_cache_dtype=found.get("kv_cache_dtype") or None,
        block_size=int(block) if block.isascii() and block.isdigit() and 0 < len(block) <= 6 else None,
        language=language if language in _LANGUAGES else None,
        rest=tuple(rest),
    )


def _quoted(value: str, words: list[str], place: int) -> tuple[str, int]:
    """Return a value that begins with a quote together with its later words."""
    if not value or value[0] not in _QUOTES or (len(value) > 1 and value[-1] in _QUOTES):
        return value, place
    for end in range(place, min(place + _LONGEST_VALUE, len(words))):
        if words[end][-1] in _QUOTES:
            return " ".join((value, *words[place : end + 1])), end + 1
    return value, place


def plain_dashes(word: str) -> str:
    """Return a word whose leading dash is what was typed: `—gpu` is `--gpu`."""
    for dash in _DASHES:
        if word.startswith(dash) and len(word) > len(dash):
            return f"--{word.removeprefix(dash)}"
    return word


def without_fence(text: str) -> str:
    """Return a text that stands in a code block as a whole, or between backticks, without them."""
    bare = text.strip()
    if bare.startswith(_FENCE):
        body = bare[len(_FENCE) :].removesuffix(_FENCE)
        first, newline, rest = body.partition("\n")
        # the name of a language stands alone on the line of the fence
        return (rest if newline and first.strip().isalpha() and len(first.strip()) <= 10 else body).strip()
    if bare.startswith("`") and bare.endswith("`") and len(bare) > 1:
        return bare.strip("`").strip()
    return text
