"""Finds the launch of vLLM in the words of one command, through wrappers, shells and containers. Runs nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from rules.engine.launch_files.containers import Container, read_container, run_words
from rules.engine.launch_files.found import Findings, FoundLaunch, RemarkKind, UnreadableError
from rules.engine.launch_files.given import Given
from rules.engine.launch_files.images import is_vllm_image, starts_server
from rules.engine.launch_files.shell.words import name_length

_MODULES: Final = frozenset(
    {"vllm.entrypoints.openai.api_server", "vllm.entrypoints.api_server", "vllm.entrypoints.cli.main"}
)
#: they only speak of what stands behind them
_TALKERS: Final = frozenset(
    {
        *(
            "echo",
            "printf",
            "grep",
            "egrep",
            "fgrep",
            "rg",
            "pgrep",
            "pkill",
            "kill",
            "killall",
            "pip",
            "pip3",
            "which",
        ),
        *(
            "type",
            "man",
            "sed",
            "awk",
            "cat",
            "ls",
            "cd",
            "git",
            "test",
            "[",
            "[[",
            "logger",
            "curl",
            "wget",
            "trap",
            "alias",
        ),
        *(
            "touch",
            "mkdir",
            "rm",
            "cp",
            "mv",
            "chmod",
            "chown",
            "ln",
            "tail",
            "head",
            "jq",
            "apt-get",
            "apt",
        ),
    }
)
#: what stands behind them is a script of its own
_EVALUATORS: Final = frozenset(
    {"tmux", "screen", "ssh", "su", "eval", "watch", "flock", "script", "parallel"}
)
_ENV_SETTERS: Final = frozenset({"env", "sudo", "doas"})
_DEEPEST: Final = 4
_MOST_WORDS: Final = 2000


@dataclass(frozen=True, slots=True)
class Run:
    """Where a command stands in its file, and what it gets."""

    given: Given = field(default_factory=Given)
    where: str = "script"
    #: in the text that is being read, from 1
    line: int = 1
    #: where a script among the words begins, if that is known
    script_line: int | None = None
    image: str | None = None
    unresolved: tuple[str, ...] = ()
    #: how many shells stand round it
    depth: int = 0


#: reads a script that a shell gets as a word
ReadScript = Callable[[str, Run], None]


def read_run(words: Sequence[str], run: Run, findings: Findings, read_script: ReadScript) -> None:
    """Note the launches that a command makes."""
    words, run = _past_setters(words, run)
    program = _base(words[0]) if words else ""
    if not words or program in _TALKERS:
        return
    if len(words) > _MOST_WORDS:
        raise UnreadableError(RemarkKind.TOO_LARGE, run.line, f"a command of more than {_MOST_WORDS} words")
    started = run_words(words)
    if started is not None:
        read_started(read_container(started, run.given, findings, run.line), run, findings, read_script)
        return
    argv = _server(words)
    if argv is not None:
        _note(argv, run, findings)
        return
    if run.depth < _DEEPEST:
        for text in _scripts(words):
            read_script(text, replace(run, depth=run.depth + 1))


def read_started(container: Container, run: Run, findings: Findings, read_script: ReadScript) -> None:
    """Note the launches of a container: what its image starts, or what it is told to."""
    inner = replace(run, given=container.given, image=container.image, where=container.where or run.where)
    words = (*container.entrypoint, *container.arguments)
    image = container.image
    if container.entrypoint or not image or not is_vllm_image(image):
        read_run(words, inner, findings, read_script)
    elif starts_server(image):
        if _server(words) is not None:
            findings.remark(RemarkKind.ENTRYPOINT_TWICE, run.line, image)
        _note(("vllm", "serve", *words), inner, findings)
    elif words and words[0].startswith("-"):
        _note(("vllm", "serve", *words), inner, findings)
    else:
        read_run(words, inner, findings, read_script)


def _note(argv: Sequence[str], run: Run, findings: Findings) -> None:
    unresolved = tuple(raw for raw in dict.fromkeys(run.unresolved) if any(raw in word for word in argv))
    open_env = tuple(sorted(run.given.open))
    for name in open_env:
        if name.startswith("VLLM_"):
            findings.remark(RemarkKind.VALUE_OPEN, run.line, name)
    unset = tuple(sorted(run.given.unset))
    found = FoundLaunch(
        argv=tuple(argv),
        env=dict(run.given.values),
        where=run.where,
        line=run.line,
        image=run.image,
        unresolved=unresolved,
        unresolved_env=open_env,
        unset=unset,
    )
    findings.launch(found)


def _past_setters(words: Sequence[str], run: Run) -> tuple[Sequence[str], Run]:
    """Follow `env` and `sudo` before a command, with the variables they set and take away."""
    while words and _base(words[0]) in _ENV_SETTERS:
        is_env = _base(words[0]) == "env"
        given, place = run.given, 1
        while place < len(words):
            word = words[place]
            length = name_length(word)
            if length and word.startswith("=", length):
                given = given.having({word[:length]: word[length + 1 :]})
            elif is_env and word in {"-i", "-", "--ignore-environment"}:
                given = Given()
            elif is_env and word in {"-u", "--unset"}:
                given = given.without(words[place + 1 : place + 2])
                place += 1
            elif is_env and word.startswith(("-u", "--unset=")):
                given = given.without([word.removeprefix("--unset=").removeprefix("-u")])
            elif not is_env and word in {"-u", "-g", "--user", "--group"}:
                place += 1
            elif not word.startswith("-"):
                break
            place += 1
        words, run = words[place:], replace(run, given=given)
    return words, run


def _server(words: Sequence[str]) -> tuple[str, ...] | None:
    """Return the argv of the server in a command, None when it starts none."""
    for place, word in enumerate(words[:-1]):
        if words[place + 1] == "serve" and _base(word) == "vllm":
            return tuple(words[place:])
        if word == "-m" and words[place + 1] in _MODULES:
            start = next((at for at in range(place, -1, -1) if _base(words[at]).startswith("python")), place)
            if words[place + 1].endswith("cli.main") and words[place + 2 : place + 3] != ["serve"]:
                continue
            return tuple(words[start:])
    return None


def _scripts(words: Sequence[str]) -> list[str]:
    """Return the words of a command that a shell will read as a script."""
    if _base(words[0]) in _EVALUATORS:
        return (
            [" ".join(words[1:])]
            if _base(words[0]) == "eval"
            else [word for word in words[1:] if " " in word]
        )
    if any(_base(word).startswith("python") for word in words):
        return []
    for place, word in enumerate(words[:-1]):
        if place and word.startswith("-") and not word.startswith("--") and word.endswith("c"):
            return [words[place + 1]]
    return []


def _base(word: str) -> str:
    return word.rpartition("/")[2]
