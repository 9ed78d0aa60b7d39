"""Reads a shell script for launches of vLLM and the variables they get. Runs nothing; calls no function."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from rules.engine.launch_files.env_file import read_env_text
from rules.engine.launch_files.found import Findings, RemarkKind, UnreadableError
from rules.engine.launch_files.running import Run, read_run
from rules.engine.launch_files.shell.commands import Bracket, Command, commands
from rules.engine.launch_files.shell.scope import Scope, Value
from rules.engine.launch_files.shell.words import Literal, Part, Word, name_length

_DEEPEST_BLOCK: Final = 60
_OPENERS: Final = {"if": "if", "while": "loop", "until": "loop", "{": "group"}
_LOOPS: Final = frozenset({"for", "select", "case"})
_CLOSERS: Final = frozenset({"fi", "done", "esac", "}"})
_BRANCHES: Final = frozenset({"else", "elif"})
_FILLERS: Final = frozenset({"then", "do", "!", "time"})
_DECLARING: Final = frozenset({"export", "declare", "typeset", "local", "readonly"})
_TESTS: Final = frozenset({"[", "[[", "test", "grep", "command", "which", "type", "pgrep"})
_SHELLS: Final = frozenset(
    {"sh", "bash", "dash", "zsh", "ksh", "ssh", "docker", "podman", "kubectl", "sudo", "su"}
)

#: reads a file that the script writes, by its name and text
ReadFile = Callable[[str, str, Findings], None]


@dataclass(slots=True)
class _Block:
    """A part of the script that may run or not."""

    kind: str
    assigned: list[str] = field(default_factory=list)
    #: assigned in a branch that is over
    earlier: list[str] = field(default_factory=list)


class ShellScript:
    """One script, read from top to bottom."""

    def __init__(self, run: Run, findings: Findings, read_file: ReadFile) -> None:
        self._run = run
        self._findings = findings
        self._read_file = read_file
        self._scope = Scope(run.given, findings)
        self._blocks: list[_Block] = []
        self._is_testing = False
        self._function = ""

    def read(self, text: str) -> None:
        """Read a script; the first line of the text is line 1."""
        for piece in commands(text):
            if isinstance(piece, Bracket):
                self._bracket(piece)
            else:
                self._command(piece)
        self._say_not_exported()

    def _bracket(self, bracket: Bracket) -> None:
        if bracket.kind == "(":
            self._open("subshell")
        elif bracket.kind == "function":
            self._function = bracket.name
        elif self._blocks and self._blocks[-1].kind == "subshell":
            self._close()

    def _open(self, kind: str) -> None:
        if len(self._blocks) >= _DEEPEST_BLOCK:
            subject = f"blocks more than {_DEEPEST_BLOCK} deep"
            raise UnreadableError(RemarkKind.TOO_DEEP, None, subject)
        self._blocks.append(_Block(kind))

    def _close(self) -> None:
        if not self._blocks:
            return
        block = self._blocks.pop()
        if block.kind == "subshell" and not any(one.kind == "function" for one in self._blocks):
            self._function = ""
        if block.kind != "group":
            self._scope.doubt(block.assigned)
        if self._blocks:
            self._blocks[-1].assigned += block.earlier + block.assigned

    def _command(self, command: Command) -> None:
        words = self._past_reserved(command.words)
        chained = command.after in {"&&", "||"}
        self._is_testing = chained and self._is_testing
        program = words[0].raw if words else ""
        is_doubtful = command.after == "||" or (command.after == "&&" and self._is_testing)
        self._is_testing = self._is_testing or program in _TESTS
        if command.document is not None:
            self._document(program, command)
        if not words or words[0].keyword == "((":
            return
        found = len(self._findings.launches)
        names = self._simple(words)
        if command.is_cut and len(self._findings.launches) > found:
            self._findings.remark(RemarkKind.CUT_SHORT, words[0].line)
        if is_doubtful or command.after == "|":
            self._scope.doubt(names)
        if self._blocks:
            self._blocks[-1].assigned += names

    def _past_reserved(self, words: Sequence[Word]) -> Sequence[Word]:
        """Follow the shell's own words before a command, and return what is behind them."""
        place = 0
        while place < len(words):
            keyword = words[place].keyword
            if keyword in _OPENERS:
                kind = "function" if keyword == "{" and self._function else _OPENERS[keyword]
                self._open(kind)
            elif keyword in _LOOPS:
                self._open("loop")
                if keyword != "case" and place + 1 < len(words):
                    self._blocks[-1].assigned.append(words[place + 1].raw)
                    self._scope.doubt([words[place + 1].raw])
                return ()
            elif keyword in _CLOSERS:
                if keyword == "}" and self._blocks and self._blocks[-1].kind == "function":
                    self._function = ""
                self._close()
                return ()
            elif keyword in _BRANCHES and self._blocks:
                block = self._blocks[-1]
                self._scope.doubt(block.assigned)
                block.earlier += block.assigned
                block.assigned = []
            elif keyword == "function":
                self._function = words[place + 1].raw if place + 1 < len(words) else ""
                place += 1
            elif keyword not in _FILLERS:
                break
            place += 1
        return words[place:]

    def _simple(self, words: Sequence[Word]) -> list[str]:
        """Follow one command; return the variables that it set."""
        place = 0
        while place < len(words) and _assignment(words[place]) is not None:
            place += 1
        if place == len(words):
            return [name for word in words if (name := self._assign(word))]
        keyword = words[place].raw
        if keyword in _DECLARING:
            return self._declare(words[place + 1 :], exports=keyword == "export")
        if keyword == "unset":
            names = [word.raw for word in words[place + 1 :] if not word.raw.startswith("-")]
            for name in names:
                self._scope.unset(name)
            return names
        if keyword == "set":
            raw = [word.raw for word in words[place + 1 :]]
            self._scope.exports_all |= "-a" in raw or "allexport" in raw
            self._scope.exports_all &= "+a" not in raw
            return []
        if keyword in {"source", "."}:
            return self._source(words[place + 1 :])
        self._launch(words[:place], words[place:])
        return []

    def _launch(self, before: Sequence[Word], words: Sequence[Word]) -> None:
        texts: list[str] = []
        unresolved: list[str] = []
        for word in words:
            value = self._scope.expand(word)
            texts += value.texts
            unresolved += value.open
        if not any("vllm" in text for text in texts):
            return
        given = self._scope.given()
        for word in before:
            name, is_more, parts = _assignment(word) or ("", False, ())
            value = self._scope.text_of(parts)
            is_known = not (value.open or value.is_doubtful or is_more)
            given = given.having({name: "".join(value.texts)} if is_known else {}, [] if is_known else [name])
        in_function = any(block.kind == "function" for block in self._blocks)
        run = replace(
            self._run,
            given=given,
            where=f"function {self._function}" if in_function and self._function else self._run.where,
            line=words[0].line,
            script_line=None,
            unresolved=tuple(unresolved),
        )
        read_run(tuple(texts), run, self._findings, self._nested)

    def _nested(self, text: str, run: Run) -> None:
        with self._findings.part(run.script_line or run.line):
            ShellScript(run, self._findings, self._read_file).read(text)

    def _assign(self, word: Word) -> str:
        assigned = _assignment(word)
        if assigned is None:
            return ""
        name, is_more, parts = assigned
        if word.elements is not None:
            values = [self._scope.expand(element) for element in word.elements]
            texts = tuple(text for value in values for text in value.texts)
            value = Value(texts, tuple(name for value in values for name in value.open), is_array=True)
        else:
            value = self._scope.text_of(parts)
        if is_more:
            self._scope.append(name, value, word.line)
        else:
            self._scope.assign(name, value, word.line)
        return name

    def _declare(self, words: Sequence[Word], *, exports: bool) -> list[str]:
        names: list[str] = []
        for word in words:
            if word.keyword.startswith("-"):
                exports = exports or "x" in word.keyword
                continue
            names.append(self._assign(word) or word.raw)
            if exports:
                self._scope.export(names[-1])
        return names

    def _source(self, words: Sequence[Word]) -> list[str]:
        name = words[0].raw if words else ""
        text = self._findings.beside.get(name)
        if text is None:
            if not name.endswith("/bin/activate"):
                self._findings.remark(RemarkKind.ENV_FILE_UNREAD, words[0].line if words else None, name)
            return []
        variables, _ = read_env_text(text)
        for variable, value in variables.items():
            self._scope.assign(variable.removeprefix("export "), Value((value,)), words[0].line)
        return list(variables)

    def _document(self, program: str, command: Command) -> None:
        """Read a here-document: commands for a shell, or the text of a file that `cat` or `tee` writes."""
        document = command.document
        if document is None or self._run.depth > 3:
            return
        if program in _SHELLS:
            with self._findings.part(document.line):
                deeper = replace(self._run, given=self._scope.given(), depth=self._run.depth + 1)
                ShellScript(deeper, self._findings, self._read_file).read(document.text)
            return
        names = command.outputs or ([word.raw for word in command.words[1:2]] if program == "tee" else [])
        for name in names[:1]:
            with self._findings.part(document.line):
                self._read_file(name, document.text, self._findings)

    def _say_not_exported(self) -> None:
        for name, line in self._scope.assigned.items():
            hidden = name not in self._scope.exported and name not in self._scope.used
            if hidden and name.startswith("VLLM_") and self._findings.launches:
                self._findings.remark(RemarkKind.NOT_EXPORTED, line, name)


def _assignment(word: Word) -> tuple[str, bool, tuple[Part, ...]] | None:
    """Return name, whether it adds, and the parts of the value of `NAME=value`; None for another word."""
    first = word.parts[0] if word.parts else None
    if not isinstance(first, Literal) or first.is_quoted:
        return None
    length = name_length(first.text)
    for mark in ("=", "+="):
        if length and first.text.startswith(mark, length):
            rest = Literal(first.text[length + len(mark) :])
            return first.text[:length], mark == "+=", (rest, *word.parts[1:])
    return None
