"""The launch of a container with a change made to it, and what it publishes. Not for running one."""

import shlex
from collections.abc import Iterator, Sequence

from rules.engine.paste.facts import Facts
from rules.engine.remedy.launch.masked import is_copyable, shell_words
from rules.engine.report import Change

_ENV = ("-e", "--env")
_PUBLISH = ("-p", "--publish")
_DETACHED = frozenset({"-d", "--detach", "-dit", "-itd", "-dt", "-td", "-di", "-id"})
_UNKNOWN = '"${CONTAINER:?set CONTAINER to the name of the container}"'


def container_commands(change: Change, facts: Facts, argv: Sequence[str], log: str) -> tuple[str, ...]:
    """Return the commands that start the container again, with the variables of the change in its options.

    `argv` is the changed launch of the server, of which the container's words replace `vllm serve`.
    """
    touched = {*change.env_unset, *change.env_set}
    head, last = _split(facts.container)
    words = [*_without(head, touched)]
    for name, value in change.env_set.items():
        words += ["-e", f"{name}={value}"]
    line = " ".join(shell_words((*words, *last, *argv[2:])))
    called = _name(facts)
    steps = [f"{facts.container[0]} rm {called}"] if called and "--rm" not in facts.container else []
    if _DETACHED.isdisjoint(facts.container):
        return (*steps, f"{line} 2>&1 | tee {log}")
    return (*steps, line, f"{facts.container[0]} logs -f {called or _UNKNOWN} 2>&1 | tee {log}")


def inside(facts: Facts, command: str) -> str:
    """Return a command as it runs in the container."""
    return f"{facts.container[0]} exec {_name(facts) or _UNKNOWN} {command}"


def pull(facts: Facts, release: str) -> str | None:
    """Return the command that gets the image of a release; None for an image that somebody built himself."""
    repository = image(facts).partition(":")[0]
    if repository.rpartition("vllm/vllm-openai")[2] or not is_copyable(repository):
        return None
    return f"{facts.container[0]} pull {shlex.quote(f'{repository}:v{release}')}"


def published_port(facts: Facts) -> str | None:
    """Return the port of the host that leads to the server, None when the launch publishes none."""
    for value in _values(facts.container, _PUBLISH):
        parts = value.partition("/")[0].split(":")
        if len(parts) > 1 and parts[-2].isdigit():
            return parts[-2]
    return None


def image(facts: Facts) -> str:
    """Return the image that was launched, empty for a launch on the host."""
    return "".join(_split(facts.container)[1][:1])


def _name(facts: Facts) -> str | None:
    names = (name for name in _values(facts.container, ("--name",)) if is_copyable(name))
    return next((shlex.quote(name) for name in names if name), None)


def _split(container: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the options, and the image with what was written after it."""
    end = len(container) - (2 if container[-2:] == ("vllm", "serve") else 0)
    return container[: max(0, end - 1)], container[max(0, end - 1) :]


def _without(options: Sequence[str], names: set[str]) -> Iterator[str]:
    """Yield the options but those that set one of the variables."""
    skip = False
    for place, word in enumerate(options):
        if skip:
            skip = False
            continue
        flag, mark, value = word.partition("=")
        if flag in _ENV:
            setting = value if mark else "".join(options[place + 1 : place + 2])
            if setting.partition("=")[0] in names:
                skip = not mark
                continue
        yield word


def _values(container: Sequence[str], flags: tuple[str, ...]) -> Iterator[str]:
    for place, word in enumerate(container):
        flag, mark, value = word.partition("=")
        if flag in flags:
            yield value if mark else "".join(container[place + 1 : place + 2])
