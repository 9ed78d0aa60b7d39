"""A launch as exact words: what wraps it, what the server gets, with which variables. Not for judging it."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from rules.engine.preflight.reading.containers import ENGINES, read_container

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_EMPTY: Mapping[str, str] = MappingProxyType({})
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_SHELLS = frozenset({"sh", "bash", "dash", "zsh"})
#: they end a command where a line was split into words without a shell
_ENDS = frozenset({"&&", "||", "|", ";", "&", ">", ">>", "2>&1", "<"})
_SCRIPTS = ("vllm/entrypoints/openai/api_server.py", "api_server.py")
#: a shell in a shell in a shell; nobody writes more
_DEEPEST = 4


class NoLaunchError(Exception):
    """The words launch no server of vLLM."""


@dataclass(frozen=True, slots=True)
class Launch:
    """What starts a server, as far as it is written down."""

    #: how the server is started: `vllm serve`, or `python -m vllm.entrypoints.openai.api_server`
    head: tuple[str, ...] = ("vllm", "serve")
    #: what the server's parser gets
    words: tuple[str, ...] = ()
    #: the environment of the server
    env: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    #: variables that the command takes away
    unset: tuple[str, ...] = ()
    #: `docker run`, its options and the image; empty for a launch on the host
    container: tuple[str, ...] = ()
    image: str | None = None
    #: parts of words whose value nobody can know (`${MODEL}`)
    unresolved: tuple[str, ...] = ()

    @property
    def argv(self) -> tuple[str, ...]:
        """The whole command without what wraps it."""
        return (*self.head, *self.words)

    @property
    def is_serve(self) -> bool:
        """True for `vllm serve`, whose parser takes the model as its first word."""
        return self.head[-1:] == ("serve",)


def read_launch(words: Sequence[str], env: Mapping[str, str] = _EMPTY) -> Launch:
    """Return the launch that the words of a command hold; `env` is what the command inherits.

    Understands assignments, `env`, wrappers (`nohup`, `uv run`, `torchrun` ...), `sh -c '...'`, `python -m`
    and `docker run` with an image of vLLM. Raises `NoLaunchError` when no server of vLLM is launched.
    """
    return _read(list(words), dict(env), 0)


def _read(words: list[str], env: dict[str, str], depth: int) -> Launch:
    unset: list[str] = []
    for place, word in enumerate(words):
        assigned = _ASSIGNMENT.fullmatch(word)
        name = word.rpartition("/")[2]
        following = words[place + 1] if place + 1 < len(words) else ""
        if assigned is not None:
            env[assigned[1]] = assigned[2]
            unset = [one for one in unset if one != assigned[1]]
        elif word in {"-u", "--unset"} and "env" in words[:place]:
            env.pop(following, None)
            unset.append(following)
        elif word == "-i" and words[place - 1 : place] == ["env"]:
            env.clear()
        elif name in ENGINES and "run" in words[place + 1 : place + 4]:
            return _container(words, place, env, depth)
        elif name in _SHELLS and depth < _DEEPEST:
            inner = _script(words[place + 1 :])
            if inner is not None:
                return _read(inner, env, depth + 1)
        elif (found := _server(words, place, name)) is not None:
            head, rest = found
            return Launch(head, _up_to_end(rest), env, tuple(unset))
    raise NoLaunchError


def _server(words: list[str], place: int, name: str) -> tuple[tuple[str, ...], list[str]] | None:
    """Return how the server is started and what follows, where it is started at this place."""
    following = words[place + 1] if place + 1 < len(words) else ""
    if name == "vllm" and following == "serve":
        return (words[place], "serve"), words[place + 2 :]
    if words[place] == "-m" and following.startswith("vllm.entrypoints"):
        before = words[place - 1 : place] if place else ["python3"]
        if following.endswith("cli.main"):
            if words[place + 2 : place + 3] != ["serve"]:
                return None
            return (*before, "-m", following, "serve"), words[place + 3 :]
        return (*before, "-m", following), words[place + 2 :]
    if words[place].endswith(_SCRIPTS) and "vllm" in words[place]:
        before = words[place - 1 : place] if place else ["python3"]
        return (*before, words[place]), words[place + 1 :]
    return None


def _script(words: list[str]) -> list[str] | None:
    """Return the words of the script after `-c` (`-lc`, `-euxc`); None when there is none to be read."""
    for place, word in enumerate(words):
        if word.startswith("-") and word.endswith("c") and place + 1 < len(words):
            try:
                return shlex.split(words[place + 1])
            except ValueError:
                return None
        if not word.startswith("-"):
            return None
    return None


def _container(words: list[str], place: int, env: dict[str, str], depth: int) -> Launch:
    start = words.index("run", place) + 1
    found = read_container(words[start:], env)
    if found is None:
        raise NoLaunchError
    rest = list(found.rest)
    container = (*words[place:start], *words[start : start + found.length])
    try:
        inner = _read(rest, dict(found.env), depth + 1) if depth < _DEEPEST else None
    except NoLaunchError:
        inner = None
    if inner is None and not found.is_server:
        raise NoLaunchError
    inner = inner or Launch(("vllm", "serve"), _up_to_end(rest), found.env)
    if rest[:2] == ["vllm", "serve"]:
        container = (*container, "vllm", "serve")
    return replace(inner, container=container, image=found.image)


def _up_to_end(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words up to a sign of the shell that ends a command."""
    for place, word in enumerate(words):
        if word in _ENDS or word.startswith(("2>", "1>")):
            return tuple(words[:place])
    return tuple(words)
