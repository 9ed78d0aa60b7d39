"""Dockerfiles: what the image that they build launches. Builds nothing."""

import json
from collections import ChainMap
from dataclasses import replace
from typing import Final

from rules.engine.launch_files.containers import Container
from rules.engine.launch_files.found import Findings
from rules.engine.launch_files.given import Given
from rules.engine.launch_files.interpolating import interpolate
from rules.engine.launch_files.running import ReadScript, Run, read_started
from rules.engine.launch_files.splitting import split_quoted

_WORDS: Final = frozenset({"FROM", "ENV", "ARG", "ENTRYPOINT", "CMD"})


def read_dockerfile(text: str, findings: Findings, read_script: ReadScript) -> None:
    """Note what the last stage launches."""
    stage = _Stage()
    for word, value, line in _instructions(text):
        if word == "FROM":
            image = next((one for one in value.split() if not one.startswith("--")), "")
            stage = _Stage(
                interpolate(image, ChainMap(stage.arguments, dict(findings.known))).text, stage.arguments
            )
        elif word == "ARG":
            name, mark, default = value.partition("=")
            if mark:
                stage.arguments[name.strip()] = default.strip().strip("\"'")
        elif word == "ENV":
            stage.variables(value)
        else:
            stage.run(word, value, line)
    if stage.line == 0:
        return
    container = Container(stage.image, stage.entrypoint, stage.command, stage.given, stage.where)
    read_started(container, replace(Run(), where=stage.where, line=stage.line), findings, read_script)


class _Stage:
    """What one stage has said so far."""

    def __init__(self, image: str = "", arguments: dict[str, str] | None = None) -> None:
        self.image = image
        self.arguments = {} if arguments is None else arguments
        self.given = Given()
        self.entrypoint: tuple[str, ...] = ()
        self.command: tuple[str, ...] = ()
        self.where = ""
        self.line = 0

    def variables(self, value: str) -> None:
        """Take `ENV X=y Z=w` or `ENV X y`."""
        words = split_quoted(value) or []
        if words and "=" not in words[0]:
            words = [f"{words[0]}={value.partition(words[0])[2].strip()}"]
        for word in words:
            name, mark, text = word.partition("=")
            if mark:
                found = interpolate(text, ChainMap(dict(self.given.values), self.arguments))
                known = {} if found.unresolved else {name: found.text}
                self.given = self.given.having(known, [name] if found.unresolved else [])

    def run(self, word: str, value: str, line: int) -> None:
        """Take ENTRYPOINT or CMD."""
        words = _exec_form(value) or ("/bin/sh", "-c", value)
        if word == "ENTRYPOINT":
            self.entrypoint, self.command, self.where, self.line = words, (), word, line
        else:
            self.command, self.where, self.line = words, self.where or word, self.line or line


def _exec_form(value: str) -> tuple[str, ...]:
    if not value.startswith("["):
        return ()
    try:
        words = json.loads(value)
    except (ValueError, RecursionError):
        return ()
    return tuple(words) if isinstance(words, list) and all(isinstance(word, str) for word in words) else ()


def _instructions(text: str) -> list[tuple[str, str, int]]:
    """Return the instructions that matter, continued lines joined, with the line each begins on."""
    found: list[tuple[str, str, int]] = []
    joined: list[str] = []
    first = 0
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.rstrip()
        if line.lstrip().startswith("#") or (not joined and not line):
            continue
        first = first if joined else number
        if line.endswith("\\"):
            joined.append(line[:-1])
            continue
        word, _, value = " ".join((*joined, line)).strip().partition(" ")
        joined = []
        if word.upper() in _WORDS:
            found.append((word.upper(), value.strip(), first))
    return found
