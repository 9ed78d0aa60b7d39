"""What a container is started with: `docker run` and its options. Not for what runs in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rules.engine.container_options import TAKE_VALUE
from rules.engine.launch_files.env_file import read_env_text
from rules.engine.launch_files.found import Findings, RemarkKind
from rules.engine.launch_files.given import Given

_PROGRAMS: Final = frozenset({"docker", "podman", "nerdctl"})
_SHORT: Final = tuple(option for option in sorted(TAKE_VALUE) if len(option) == 2)


@dataclass(frozen=True, slots=True)
class Container:
    """A container that is to start."""

    image: str | None
    #: what replaces the image's own entrypoint; empty where that stays
    entrypoint: tuple[str, ...]
    arguments: tuple[str, ...]
    given: Given
    #: how the file calls it, if it does
    where: str = ""


def run_words(words: Sequence[str]) -> tuple[str, ...] | None:
    """Return the words after `docker run` or `docker create`, None for another command."""
    for place, word in enumerate(words[:8]):
        if word.rpartition("/")[2] in _PROGRAMS:
            for verb in range(place + 1, min(place + 4, len(words))):
                if words[verb] in {"run", "create"} and "compose" not in words[place:verb]:
                    return tuple(words[verb + 1 :])
    return None


def read_container(words: Sequence[str], outside: Given, findings: Findings, line: int) -> Container:
    """Read the options of `docker run`, the image and the arguments; only options give variables."""
    given = Given()
    entrypoint: tuple[str, ...] = ()
    where = "docker run"
    place = 0
    while place < len(words) and words[place].startswith("-") and words[place] != "-":
        option, value, used = _option(words, place)
        place += used
        if option in {"-e", "--env"}:
            given = _with_variable(given, value, outside)
        elif option == "--env-file":
            given = with_file(given, value, findings, line)
        elif option == "--entrypoint":
            entrypoint = (value,) if value else ()
        elif option == "--name":
            where = f"container {value}"
    image = words[place] if place < len(words) else None
    return Container(image, entrypoint, tuple(words[place + 1 :]), given, where)


def with_file(given: Given, name: str, findings: Findings, line: int) -> Given:
    """Return it with the variables of an env file, which is remarked on when it was not given along."""
    text = findings.beside.get(name)
    if text is None:
        findings.remark(RemarkKind.ENV_FILE_UNREAD, line, name)
        return given
    variables, _ = read_env_text(text)
    return given.having(variables)


def _with_variable(given: Given, setting: str, outside: Given) -> Given:
    name, mark, value = setting.partition("=")
    if mark:
        return given.having({name: value})
    if name in outside.values:
        return given.having({name: outside.values[name]})
    return given.having({}, [name])


def _option(words: Sequence[str], place: int) -> tuple[str, str, int]:
    """Return an option, its value and how many words they take."""
    option, mark, value = words[place].partition("=")
    if option.startswith("--"):
        if mark or option not in TAKE_VALUE:
            return option, value, 1
        return option, "".join(words[place + 1 : place + 2]), 2
    if option[:2] in _SHORT and len(words[place]) > 2:
        return option[:2], words[place][2:].removeprefix("="), 1
    if option[:1] + option[-1:] in _SHORT:
        return option[:1] + option[-1:], "".join(words[place + 1 : place + 2]), 2
    return option, "", 1
