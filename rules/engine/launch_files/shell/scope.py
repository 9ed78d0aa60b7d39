"""The variables of a shell while its script is read, and the words that come of them. Runs nothing."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from rules.engine.launch_files.found import Findings
from rules.engine.launch_files.given import Given
from rules.engine.launch_files.shell.words import Literal, Opaque, Part, Variable, Word

#: a longer value is none that a script builds for a launch
_LONGEST: Final = 64_000


@dataclass(frozen=True, slots=True)
class Value:
    """What a variable holds; `open` has the parts of it that are not known, as they are written."""

    texts: tuple[str, ...]
    open: tuple[str, ...] = ()
    is_array: bool = False
    #: another branch of the script may have given it another value
    is_doubtful: bool = False


class Scope:
    """The variables of one shell."""

    def __init__(self, given: Given, findings: Findings) -> None:
        self._findings = findings
        self._values = {name: Value((value,)) for name, value in {**findings.known, **given.values}.items()}
        for name in given.open:
            self._values[name] = Value((), is_doubtful=True)
        self.exported: set[str] = {*given.values, *given.open}
        self._unset: set[str] = set(given.unset)
        self.exports_all = False
        #: assigned here, never exported, with the line
        self.assigned: dict[str, int] = {}
        self.used: set[str] = set()
        self._given: Given | None = given

    def assign(self, name: str, value: Value, line: int) -> None:
        """Give a variable a value."""
        self._values[name] = value
        self._given = None
        self.assigned.setdefault(name, line)
        self._unset.discard(name)
        if self.exports_all:
            self.exported.add(name)

    def append(self, name: str, more: Value, line: int) -> None:
        """Add to a variable's value, as `+=` does."""
        old = self._values.get(name, Value(("",) if not more.is_array else ()))
        is_array, is_doubtful = old.is_array or more.is_array, old.is_doubtful or more.is_doubtful
        texts = old.texts + more.texts
        self._findings.spend(sum(map(len, texts)) + len(texts))
        texts = texts if is_array else ("".join(texts),)
        self.assign(name, Value(texts, old.open + more.open, is_array, is_doubtful), line)

    def export(self, name: str) -> None:
        """Hand a variable on to programs."""
        self.exported.add(name)
        self._given = None

    def unset(self, name: str) -> None:
        """Take a variable away."""
        self._values.pop(name, None)
        self.exported.discard(name)
        self.assigned.pop(name, None)
        self._unset.add(name)
        self._given = None

    def doubt(self, names: Iterable[str]) -> None:
        """Note that the script may have set these or not."""
        for name in names:
            old = self._values.get(name, Value(()))
            self._values[name] = Value(old.texts, old.open, old.is_array, is_doubtful=True)
            self._unset.discard(name)
            self._given = None

    def given(self) -> Given:
        """Return the environment that a program gets now."""
        if self._given is not None:
            return self._given
        values: dict[str, str] = {}
        unknown: set[str] = set()
        for name in self.exported:
            value = self._values.get(name)
            if value is None or value.open or value.is_doubtful:
                unknown.add(name)
            else:
                values[name] = "".join(value.texts[:1])
        self._given = Given({}, frozenset(), frozenset(self._unset)).having(values, unknown)
        return self._given

    def expand(self, word: Word) -> Value:
        """Return the words that one word becomes."""
        fields = _Fields()
        for part in word.parts:
            self._expand_part(part, fields)
        texts = tuple(fields.done())
        self._findings.spend(sum(map(len, texts)) + len(texts) + 1)
        return Value(texts, tuple(fields.open))

    def text_of(self, parts: Iterable[Part]) -> Value:
        """Return the value that an assignment gets, which is never split."""
        fields = _Fields(splits=False)
        for part in parts:
            self._expand_part(part, fields)
        text = "".join(fields.done())
        self._findings.spend(len(text) + 1)
        if len(text) > _LONGEST:
            return Value((), is_doubtful=True)
        return Value((text,), tuple(fields.open))

    def _expand_part(self, part: Part, fields: "_Fields") -> None:
        if isinstance(part, Literal):
            fields.add(part.text, quoted=part.is_quoted)
        elif isinstance(part, Opaque):
            fields.leave(part.raw)
        else:
            self._expand_variable(part, fields)

    def _expand_variable(self, part: Variable, fields: "_Fields") -> None:
        self.used.add(part.name)
        value = self._values.get(part.name)
        is_known = value is not None and not value.is_doubtful
        if value is not None and not is_known:
            fields.leave(part.raw)
            return
        holds = value is not None and any((*value.texts, *value.open))
        counts = holds or (value is not None and not part.operator.startswith(":"))
        if part.operator.endswith("+"):
            if counts:
                self._expand_all(part.other, fields, quoted=part.is_quoted)
        elif value is not None and (counts or part.operator not in {":-", ":=", ":?"}):
            fields.take(value, quoted=part.is_quoted, whole=part.is_whole)
        elif part.operator in {":-", "-", ":=", "="}:
            self._expand_all(part.other, fields, quoted=part.is_quoted)
        elif not part.operator and part.name in self._unset:
            fields.add("", quoted=part.is_quoted)
        else:
            fields.leave(part.raw)

    def _expand_all(self, parts: tuple[Part, ...], fields: "_Fields", *, quoted: bool) -> None:
        for part in parts:
            if isinstance(part, Literal) and not (part.is_quoted or quoted):
                fields.split(part.text)
            else:
                self._expand_part(part, fields)


class _Fields:
    """Words that are being put together."""

    def __init__(self, *, splits: bool = True) -> None:
        self._splits = splits
        self._done: list[str] = []
        self._letters: list[str] = []
        self._is_begun = False
        self.open: list[str] = []

    def add(self, text: str, *, quoted: bool) -> None:
        """Add text to the word."""
        self._letters.append(text)
        self._is_begun = self._is_begun or quoted or bool(text)

    def leave(self, raw: str) -> None:
        """Add what is not known as it is written."""
        self.add(raw, quoted=True)
        self.open.append(raw)

    def take(self, value: Value, *, quoted: bool, whole: bool) -> None:
        """Add the value of a variable, split where the shell would."""
        self.open += value.open
        texts = value.texts if whole else value.texts[:1]
        if not self._splits:
            self.add(" ".join(texts), quoted=True)
            return
        if not texts and whole and not any(self._letters):
            # "${NAME[@]}" of an empty array is no word at all
            self._is_begun = False
        for place, text in enumerate(texts):
            if place:
                self._end()
            if quoted:
                self.add(text, quoted=True)
            else:
                self.split(text)

    def split(self, text: str) -> None:
        """Add text that the shell splits at blanks."""
        if not self._splits:
            self.add(text, quoted=True)
            return
        pieces = text.split()
        if text[:1].isspace():
            self._end()
        for index, piece in enumerate(pieces):
            if index:
                self._end()
            self.add(piece, quoted=False)
        if pieces and text[-1:].isspace():
            self._end()

    def done(self) -> Iterator[str]:
        """Yield the words."""
        self._end()
        yield from self._done

    def _end(self) -> None:
        if self._is_begun:
            self._done.append("".join(self._letters))
        self._letters, self._is_begun = [], False
