"""Reads `docker run` up to the image: variables, image, what the image is told. Not for running one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ENGINES = frozenset({"docker", "podman", "nerdctl"})
#: long options of `docker run` that stand alone; all others take a value
_SWITCHES = frozenset(
    {
        "--detach",
        "--init",
        "--interactive",
        "--no-healthcheck",
        "--oom-kill-disable",
        "--privileged",
        "--publish-all",
        "--quiet",
        "--read-only",
        "--replace",
        "--rm",
        "--sig-proxy",
        "--tty",
    }
)
#: short options that stand alone, and may stand together
_SHORT_SWITCHES = re.compile(r"-[ditqP]+\Z")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_SERVER_IMAGE = re.compile(r"vllm", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Container:
    """What stands before the words that the image is told, and those words."""

    image: str
    env: Mapping[str, str]
    rest: tuple[str, ...]
    #: how many words the options and the image are
    length: int
    #: True where the image starts a server of vLLM by itself
    is_server: bool


def read_container(words: Sequence[str], inherited: Mapping[str, str]) -> Container | None:
    """Read the words after `docker run`; `inherited` is where `-e NAME` takes its value from."""
    env: dict[str, str] = {}
    entrypoint: str | None = None
    place = 0
    while place < len(words) and words[place].startswith("-"):
        option, mark, value = words[place].partition("=")
        taken = 1
        if option.startswith("--"):
            if not mark and option not in _SWITCHES:
                value, taken = _at(words, place + 1), 2
        elif not _SHORT_SWITCHES.match(words[place]):
            option, value = words[place][:2], words[place][2:].removeprefix("=")
            if not value:
                value, taken = _at(words, place + 1), 2
        if option in {"-e", "--env"}:
            _set(env, value, inherited)
        elif option == "--entrypoint":
            entrypoint = value
        place += taken
    if place >= len(words):
        return None
    image, rest = words[place], tuple(words[place + 1 :])
    is_server = bool(_SERVER_IMAGE.search(image)) and entrypoint is None
    if entrypoint:
        rest = (entrypoint, *rest)
    return Container(image, env, rest, place + 1, is_server)


def _at(words: Sequence[str], place: int) -> str:
    return words[place] if place < len(words) else ""


def _set(env: dict[str, str], text: str, inherited: Mapping[str, str]) -> None:
    name, mark, value = text.partition("=")
    if not _NAME.match(name):
        return
    if mark:
        env[name] = value
    elif name in inherited:
        env[name] = inherited[name]
