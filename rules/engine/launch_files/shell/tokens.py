"""Cuts a POSIX shell script into words and signs, here-documents kept apart. Not for what they do."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import re2

from rules.engine.launch_files.shell.words import Literal, Part, Word, name_length, part_at

#: longest first
_SIGNS: Final = (
    *("<<<", "<<-", "&>>", ";;&"),
    *("<<", ">>", ">&", "<&", "&>", ">|", "<>", "&&", "||", ";;", ";&", "|&"),
    *(";", "&", "|", "<", ">", "(", ")"),
)
_REDIRECTS: Final = frozenset({"<<<", "<<-", "<<", "&>>", ">>", ">&", "<&", "&>", ">|", "<>", "<", ">"})
#: what a backslash quotes in a here-document
_ESCAPED: Final = re2.compile(r"\\([\\$`])")
_BLANK: Final = " \t\r"
_WORD_ENDS: Final = frozenset(" \t\r\n;&|<>()")


@dataclass(frozen=True, slots=True)
class Sign:
    """What stands between words; a line's end is `;`."""

    text: str
    line: int
    ends_line: bool = False
    #: a comment or blank behind a backslash ended the command too early
    is_cut: bool = False

    @property
    def is_redirect(self) -> bool:
        """Tell whether the word after it is a file."""
        return self.text in _REDIRECTS


@dataclass(frozen=True, slots=True)
class HereDocument:
    """The text that a command reads from the script itself."""

    text: str
    #: of its first line
    line: int


Token = Word | Sign | HereDocument


@dataclass(frozen=True, slots=True)
class _Delimiter:
    text: str
    #: tabs before the lines are taken off
    without_tabs: bool
    #: the text below it is taken as it stands
    is_quoted: bool


class _Script:
    """A place in a script."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1
        #: a backslash joined this line to the one before, and nothing stood on it yet
        self.is_continued = False
        self.is_cut = False
        #: delimiters of documents that begin after this line, and how they are written
        self.waiting: list[_Delimiter] = []

    def go(self, end: int) -> None:
        """Move to a place, counting lines."""
        end = min(end, len(self.text))
        self.line += self.text.count("\n", self.at, end)
        self.at = end

    def documents(self) -> Iterator[HereDocument]:
        """Read the documents that were waiting for the line's end."""
        for delimiter in self.waiting:
            first, lines = self.line, []
            while self.at < len(self.text):
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line = self.text[self.at : end]
                self.go(end + 1)
                line = line.lstrip("\t") if delimiter.without_tabs else line
                if line.rstrip("\r") == delimiter.text:
                    break
                lines.append(line)
            text = "\n".join(lines)
            yield HereDocument(text if delimiter.is_quoted else _ESCAPED.sub(r"\1", text), first)
        self.waiting.clear()


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a script in order. A here-document follows the end of its command's line."""
    script = _Script(text)
    expects_delimiter = ""
    while script.at < len(text):
        letter = text[script.at]
        if letter in _BLANK:
            script.go(script.at + 1)
        elif text.startswith(("\\\n", "\\\r\n"), script.at):
            script.go(text.find("\n", script.at) + 1)
            script.is_continued = True
        elif letter == "#":
            script.is_cut = script.is_continued
            end = text.find("\n", script.at)
            script.go(len(text) if end < 0 else end)
        elif letter == "\n":
            sign = Sign(";", script.line, ends_line=True, is_cut=script.is_cut)
            script.is_continued = script.is_cut = False
            script.go(script.at + 1)
            yield from script.documents()
            yield sign
        elif letter in _WORD_ENDS:
            found = next(sign for sign in _SIGNS if text.startswith(sign, script.at))
            yield Sign(found, script.line)
            script.go(script.at + len(found))
            expects_delimiter = found if found in {"<<", "<<-"} else ""
        else:
            script.is_cut = script.is_cut or _is_lost_continuation(script)
            word = _word(script)
            script.is_continued = False
            if expects_delimiter:
                is_quoted = not word.keyword
                script.waiting.append(_Delimiter(word.raw, expects_delimiter == "<<-", is_quoted))
                expects_delimiter = ""
            if not _is_descriptor(word, script):
                yield word
    yield from script.documents()


def _word(script: _Script, *, is_element: bool = False) -> Word:
    parts: list[Part] = []
    line = script.line
    text = script.text
    while script.at < len(text) and text[script.at] not in _WORD_ENDS:
        letter = text[script.at]
        if letter == '"':
            parts.extend(_double_quoted(script))
        elif text.startswith("\\\r\n", script.at):
            script.go(script.at + 3)
        elif letter in "$`\\'":
            part, end = part_at(text, script.at, quoted=False)
            parts.append(part)
            script.go(end)
        else:
            end = script.at
            while end < len(text) and text[end] not in _WORD_ENDS and text[end] not in "\"$`\\'":
                end += 1
            parts.append(Literal(text[script.at : end]))
            script.go(end)
    word = Word(tuple(parts), line)
    if not is_element and text.startswith("(", script.at) and _assigns(word):
        return Word(word.parts, line, tuple(_elements(script)))
    return word


def _double_quoted(script: _Script) -> Iterator[Part]:
    script.go(script.at + 1)
    yield Literal("", is_quoted=True)
    while script.at < len(script.text) and script.text[script.at] != '"':
        part, end = part_at(script.text, script.at, quoted=True)
        script.go(end)
        yield part
    script.go(script.at + 1)


def _elements(script: _Script) -> Iterator[Word]:
    """Read the words of an array up to its bracket."""
    script.go(script.at + 1)
    text = script.text
    while script.at < len(text) and text[script.at] != ")":
        letter = text[script.at]
        if letter == "#":
            end = text.find("\n", script.at)
            script.go(len(text) if end < 0 else end)
        elif text.startswith("\\\n", script.at):
            script.go(script.at + 2)
        elif letter in _WORD_ENDS:
            script.go(script.at + 1)
        else:
            yield _word(script, is_element=True)
    script.go(script.at + 1)


def _is_lost_continuation(script: _Script) -> bool:
    """Tell whether a backslash stands before the blanks that end a line: it quotes a blank, and joins nothing."""
    if not script.text.startswith(("\\ ", "\\\t"), script.at):
        return False
    end = script.at + 1
    while end < len(script.text) and script.text[end] in _BLANK:
        end += 1
    return script.text.startswith("\n", end)


def _assigns(word: Word) -> bool:
    """Tell whether a word is `NAME=` or `NAME+=` and nothing more."""
    text = word.keyword
    rest = text[name_length(text) :]
    return rest in {"=", "+="} and rest != text


def _is_descriptor(word: Word, script: _Script) -> bool:
    """Tell whether the word is the number before a redirection (`2>`)."""
    return word.keyword.isdigit() and script.text.startswith(("<", ">"), script.at)
