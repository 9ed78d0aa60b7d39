"""What `diagnose` is asked, and reading it from a plain command line. Not for help, nor for mistakes.

`diagnose.py` declares the options; this reads the usual ways of writing them, at the price of no import. What
it does not understand at once it leaves to that declaration. A test holds the two together.
"""

from __future__ import annotations

from dataclasses import dataclass

#: the option's name → the field that it fills
OPTIONS = {
    "--lang": "language",
    "--vllm-version": "vllm_version",
    "--gpu": "gpu",
    "--model": "model",
    "--env-file": "env_file",
    "--command": "command",
}
LANGUAGES = ("en", "zh", "auto")
STDIN = "-"


@dataclass(frozen=True, slots=True)
class Request:
    """The inputs to diagnose, the facts given beside them, and how to answer."""

    #: names of files, `-` for standard input; never empty
    files: tuple[str, ...] = (STDIN,)
    as_json: bool = False
    #: one of `LANGUAGES`
    language: str = "auto"
    vllm_version: str | None = None
    gpu: str | None = None
    model: str | None = None
    env_file: str | None = None
    command: str | None = None


def read_request(arguments: list[str]) -> Request | None:
    """Return the request of a plain `diagnose` command line; None for anything else, be it right or wrong."""
    if not arguments or arguments[0] != "diagnose":
        return None
    files: list[str] = []
    given: dict[str, str] = {}
    as_json = False
    rest = iter(arguments[1:])
    for word in rest:
        name, equals, value = word.partition("=")
        if word == "--json":
            as_json = True
        elif name in OPTIONS:
            value = value if equals else next(rest, "--")
            if not equals and value.startswith("-"):
                return None
            given[OPTIONS[name]] = value
        elif word.startswith("-") and word != STDIN:
            return None
        else:
            files.append(word)
    if given.get("language", LANGUAGES[0]) not in LANGUAGES:
        return None
    return Request(tuple(files) or (STDIN,), as_json, **given)
