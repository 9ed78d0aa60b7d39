"""Splits a command line as people paste it into environment, argv and flags. Never runs anything."""

from dataclasses import dataclass, field
from typing import Final

import re2

from rules.engine.container_options import TAKE_VALUE

_ASSIGNMENT: Final = re2.compile(r"^([A-Z_][A-Z0-9_]*)=(.*)$")
_ENDS: Final = frozenset({"&&", "||", "|", ";", "&", ">", ">>", "2>&1", "<", "#", "and", "then"})
_STARTERS: Final = frozenset(
    {"vllm", "python", "python3", "uv", "nohup", "sudo", "exec", "time", "env", "docker", "podman", "nerdctl"}
)
#: unquoted, they end a command: the shell's own signs, and the punctuation of the prose round it
_STOPS: Final = frozenset(";，。；：！？、（）“”‘’」』】")
#: a plain value that prose follows without a space (`FLASHINFER的时候`); a path is left alone
_RUN_ON: Final = re2.compile(r"^([A-Za-z0-9_.+:-]+)[\x{3000}-\x{303F}\x{3400}-\x{9FFF}\x{FF00}-\x{FFEF}]")
#: the most words of one command
_MOST_WORDS: Final = 400


@dataclass(frozen=True, slots=True)
class Command:
    """A launch of vLLM as somebody wrote it."""

    argv: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    #: by long name as written (`--tensor-parallel-size`); a flag without a value has an empty one
    flags: dict[str, str] = field(default_factory=dict)
    model: str | None = None
    image: str | None = None
    #: `docker run`, its options and the image, and `vllm serve` where it was written
    container: tuple[str, ...] = ()


class _Words:
    """Words that are being put together, letter by letter."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self._letters: list[str] = []
        self._is_begun = False

    def begin(self) -> None:
        """Begin a word that may stay empty, as quotes do."""
        self._is_begun = True

    def add(self, letter: str) -> None:
        """Add a letter to the word."""
        self._letters.append(letter)

    def end(self) -> None:
        """End the word, if there is one."""
        if self._is_begun or self._letters:
            self.done.append("".join(self._letters))
        self._letters, self._is_begun = [], False


def split_words(text: str) -> list[str]:
    """Return the words of a shell line; unlike `shlex` it never fails on a quote that is not closed."""
    words = _Words()
    quote = ""
    characters = iter(text)
    for character in characters:
        if character == quote:
            quote = ""
        elif character == "\\" and quote != "'":
            words.begin()
            words.add(next(characters, ""))
        elif quote:
            words.add(character)
        elif character in "'\"":
            quote = character
            words.begin()
        elif character in _STOPS:
            words.end()
            words.done.append(";")
        elif character in " \t\n":
            words.end()
        else:
            words.add(character)
        if len(words.done) > _MOST_WORDS:
            return words.done
    words.end()
    return words.done


def without_prose(value: str) -> str:
    """Return a value without the Chinese prose that runs on behind it."""
    match = _RUN_ON.match(value)
    return match.group(1) if match is not None else value


def read_command(text: str) -> Command | None:
    """Return the launch of vLLM that the line holds, None when it holds none.

    Understands assignments before the command, wrappers such as `nohup`, `docker run` with an image of vLLM,
    `vllm serve` and `python -m vllm.entrypoints…`.
    """
    words = split_words(text.strip().lstrip("$!#% ").strip("`"))
    env: dict[str, str] = {}
    for index, word in enumerate(words):
        assigned = _ASSIGNMENT.match(word)
        if assigned is not None:
            env[assigned.group(1)] = without_prose(assigned.group(2))
        elif word in {"docker", "podman", "nerdctl"} and "run" in words[index : index + 3]:
            start = words.index("run", index) + 1
            return _docker(words[start:], env, tuple(words[index:start]))
        elif (
            word.rsplit("/", 1)[-1] == "vllm"
            and index + 1 < len(words)
            and words[index + 1] in {"serve", "bench", "chat"}
        ):
            return _launch(words[index:], 2, env) if words[index + 1] == "serve" else None
        elif word == "-m" and index + 1 < len(words) and words[index + 1].startswith("vllm.entrypoints"):
            return _launch(words[max(0, index - 1) :], 3 if index else 2, env)
        elif (word.startswith("-") and not env) or index > 12:
            return None
    return None


def read_flags(words: list[str]) -> tuple[dict[str, str], list[str], list[str]]:
    """Return flags, values without a flag, and all words up to the end of the command."""
    flags: dict[str, str] = {}
    loose: list[str] = []
    used: list[str] = []
    name: str | None = None
    for word in words:
        if word in _ENDS or word.startswith(("2>", "1>", ">")) or word.endswith(";"):
            break
        if word.startswith("-") and len(word) > 1 and not word[1].isdigit():
            flag, mark, value = word.partition("=")
            flags[flag.replace("_", "-") if flag.startswith("--") else flag] = value
            name = None if mark else flag.replace("_", "-") if flag.startswith("--") else flag
        elif name is not None and not flags[name]:
            flags[name] = word
        elif name is not None and "=" in word:
            flags[name] += " " + word
        elif not loose and not flags:
            loose.append(word)
            name = None
        else:
            break
        used.append(word)
    return flags, loose, used


def _launch(words: list[str], skip: int, env: dict[str, str]) -> Command | None:
    flags, loose, used = read_flags(words[skip:])
    model = flags.get("--model") or (loose[0] if loose else None)
    if model is not None and model.startswith("["):
        # The usage line of an argument parser: `vllm serve [model_tag] [options]`.
        return None
    return Command((*words[:skip], *used), env, flags, _plausible_model(model))


def _docker(words: list[str], env: dict[str, str], launcher: tuple[str, ...]) -> Command | None:
    """Read the words after `docker run`: environment, image, and the arguments of the server."""
    position = 0
    while position < len(words):
        word = words[position]
        if not word.startswith("-"):
            break
        flag, mark, value = word.partition("=")
        if flag in {"-e", "--env"}:
            assigned = _ASSIGNMENT.match(
                value if mark and flag == "--env" else " ".join(words[position + 1 : position + 2])
            )
            if assigned is not None:
                env[assigned.group(1)] = without_prose(assigned.group(2))
        position += 1 if mark or flag not in TAKE_VALUE else 2
    if position >= len(words) or "vllm" not in words[position]:
        return None
    image, rest = words[position], words[position + 1 :]
    container = (*launcher, *words[: position + 1])
    if rest[:2] == ["vllm", "serve"]:
        container, rest = (*container, "vllm", "serve"), rest[2:]
    flags, loose, used = read_flags(rest)
    model = flags.get("--model") or (loose[0] if loose else None)
    return Command(("vllm", "serve", *used), env, flags, _plausible_model(model), image, container)


def _plausible_model(text: str | None) -> str | None:
    """Return the text if it can name a model; words of a sentence and placeholders cannot."""
    if (
        text is None
        or text in {"...", "…", "MODEL", "model", "<model>", "$MODEL"}
        or text.startswith(("$", "<", "{", "-", "["))
    ):
        return None
    return text.strip("`'\"") or None
