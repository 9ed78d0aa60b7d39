"""Puts the tokens of a script together into simple commands and brackets. Not for what they do."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from rules.engine.launch_files.shell.tokens import HereDocument, Sign, tokens
from rules.engine.launch_files.shell.words import Word


@dataclass(slots=True)
class Command:
    """A simple command, perhaps behind a reserved word such as `then`."""

    words: list[Word]
    #: the sign before it
    after: str
    #: where its output goes
    outputs: list[str] = field(default_factory=list)
    document: HereDocument | None = None
    awaits_document: bool = False
    #: ended by a comment or blank behind a backslash, perhaps too early
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Bracket:
    """`(` or `)` round commands, or the head of a function."""

    kind: str
    name: str = ""


class _Grouping:
    """Commands of one line, which here-documents may still follow."""

    def __init__(self) -> None:
        self.line: list[Command | Bracket] = []
        self.command = Command([], ";")
        self._redirect = ""
        self._is_head = False

    def word(self, word: Word) -> None:
        """Take a word."""
        if self._redirect:
            if self._redirect in {">", ">>", "&>", ">|", "&>>"}:
                self.command.outputs.append(word.raw)
            self._redirect = ""
        else:
            self.command.words.append(word)

    def sign(self, sign: Sign) -> None:
        """Take a sign that ends no line."""
        if sign.is_redirect:
            self._redirect = sign.text
            self.command.awaits_document |= sign.text in {"<<", "<<-"}
            return
        self._redirect = ""
        if sign.text == "(":
            self._is_head = len(self.command.words) == 1 or self._is_declared()
            if not self._is_head:
                self.end("(")
                self.line.append(Bracket("("))
        elif sign.text == ")" and self._is_head:
            self._is_head = False
            self.line.append(Bracket("function", self.command.words[-1].raw))
            self.command = Command([], ";")
        elif sign.text == ")":
            self.end(")")
            self.line.append(Bracket(")"))
        else:
            self.command.is_cut = sign.is_cut
            self.end(sign.text)

    def end(self, sign: str) -> None:
        """End the command."""
        if self.command.words or self.command.awaits_document:
            self.line.append(self.command)
            self.command = Command([], sign)
        elif sign != ";":
            self.command.after = sign

    def document(self, document: HereDocument) -> None:
        """Give a document to the first command of the line that waits for one."""
        for command in (*self.line, self.command):
            if isinstance(command, Command) and command.awaits_document and command.document is None:
                command.document = document
                return

    def _is_declared(self) -> bool:
        return len(self.command.words) == 2 and self.command.words[0].keyword == "function"


def commands(text: str) -> Iterator[Command | Bracket]:
    """Yield the commands and brackets of a script in order."""
    grouping = _Grouping()
    for token in tokens(text):
        if isinstance(token, Word):
            grouping.word(token)
        elif isinstance(token, HereDocument):
            grouping.document(token)
        else:
            grouping.sign(token)
            if token.ends_line:
                yield from grouping.line
                grouping.line = []
    grouping.end(";")
    yield from grouping.line
