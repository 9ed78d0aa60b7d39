"""The words of a POSIX shell: literal text, variables, and what only running would tell. Not for their values."""

from dataclasses import dataclass
from typing import Final

#: an expansion inside an expansion inside …
_DEEPEST: Final = 6
_NAME_START: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_NAME: Final = _NAME_START | frozenset("0123456789")
_SPECIAL: Final = frozenset("@*#?-$!0123456789")
_OPERATORS: Final = (":-", ":=", ":?", ":+", "-", "=", "?", "+")
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "e": "\x1b", "0": "\0"}


@dataclass(frozen=True, slots=True)
class Literal:
    """Text that stands for itself."""

    text: str
    is_quoted: bool = False


@dataclass(frozen=True, slots=True)
class Variable:
    """`$NAME`, `${NAME}`, `${NAME:-other}`, `${NAME[@]}`."""

    name: str
    raw: str
    is_quoted: bool = False
    #: one of `:-`, `-`, `:+`, `+`, `:=`, `=`, `:?`, `?`, or empty
    operator: str = ""
    other: tuple["Part", ...] = ()
    #: all elements of an array
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class Opaque:
    """What only the shell could tell, such as `$(nproc)` or `${NAME%.*}`."""

    raw: str
    is_quoted: bool = False


Part = Literal | Variable | Opaque


@dataclass(frozen=True, slots=True)
class Word:
    """One word as written."""

    parts: tuple[Part, ...]
    line: int
    #: the elements of `NAME=(…)`, of which the parts hold `NAME=`
    elements: tuple["Word", ...] | None = None

    @property
    def raw(self) -> str:
        """The text without its quotes, nothing expanded."""
        return "".join(part.text if isinstance(part, Literal) else part.raw for part in self.parts)

    @property
    def keyword(self) -> str:
        """The text if it is plain and without quotes, as the shell's own words are; else empty."""
        if len(self.parts) == 1 and isinstance(self.parts[0], Literal) and not self.parts[0].is_quoted:
            return self.parts[0].text
        return ""


def name_length(text: str, start: int = 0) -> int:
    """Return how many letters of a variable's name stand at a place."""
    if start >= len(text) or text[start] not in _NAME_START:
        return 0
    end = start + 1
    while end < len(text) and text[end] in _NAME:
        end += 1
    return end - start


def dollar(text: str, at: int, *, quoted: bool, depth: int = 0) -> tuple[Part, int]:
    """Read the expansion whose `$` stands at a place; return it and the place after it."""
    following = text[at + 1 : at + 2]
    if following == "{":
        end = closing(text, at + 2, "}")
        return _braced(text[at:end], quoted=quoted, depth=depth), end
    if following == "(":
        end = closing(text, at + 2, ")")
        return Opaque(text[at:end], quoted), end
    length = name_length(text, at + 1)
    if following == '"' and not quoted:
        return Literal("", is_quoted=True), at + 1
    if length:
        end = at + 1 + length
        return Variable(text[at + 1 : end], text[at:end], quoted), end
    if following and following in _SPECIAL:
        return Opaque(text[at : at + 2], quoted), at + 2
    return Literal("$", quoted), at + 1


def closing(text: str, start: int, sign: str) -> int:
    """Return the place after the bracket that closes one opened before `start`; the end when none does."""
    opening = "{" if sign == "}" else "("
    depth, at, quote = 1, start, ""
    while at < len(text):
        letter = text[at]
        if letter == "\\" and quote != "'":
            at += 1
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == opening:
            depth += 1
        elif letter == sign:
            depth -= 1
            if not depth:
                return at + 1
        at += 1
    return len(text)


def _braced(raw: str, *, quoted: bool, depth: int) -> Part:
    inner = raw[2:-1] if raw.endswith("}") else raw[2:]
    # `${1:-other}` has another value too; which argument the script got is not known
    length = name_length(inner) or (1 if inner[:1].isdigit() and len(inner) > 1 else 0)
    rest = inner[length:]
    if not length:
        return Opaque(raw, quoted)
    name = inner[:length]
    if rest in {"[@]", "[*]"}:
        return Variable(name, raw, quoted, is_whole=True)
    for operator in _OPERATORS:
        if rest.startswith(operator) and depth < _DEEPEST:
            other = parts(rest[len(operator) :], quoted=quoted, depth=depth + 1)
            return Variable(name, raw, quoted, operator, other)
    return Opaque(raw, quoted) if rest else Variable(name, raw, quoted)


def parts(text: str, *, quoted: bool, depth: int = 0) -> tuple[Part, ...]:
    """Return the parts of a text that is one word, as the other value of `${NAME:-…}` is."""
    found: list[Part] = []
    at, inside = 0, quoted
    while at < len(text):
        if text[at] == '"':
            at, inside = at + 1, not inside
            found.append(Literal("", is_quoted=True))
            continue
        part, at = part_at(text, at, quoted=inside, depth=depth)
        found.append(part)
    return tuple(found)


def part_at(text: str, at: int, *, quoted: bool, depth: int = 0) -> tuple[Part, int]:
    """Return the part of a word that begins at a place, and the place after it."""
    letter = text[at]
    if not quoted and text.startswith("$'", at):
        return _ansi(text, at + 2)
    if letter == "$":
        return dollar(text, at, quoted=quoted, depth=depth)
    if letter == "`":
        end = _after(text, at + 1, "`")
        return Opaque(text[at:end], quoted), end
    if letter == "\\":
        following = text[at + 1 : at + 2]
        kept = "\\" if quoted and following not in {"$", "`", '"', "\\", "\n"} else ""
        return Literal("" if following == "\n" else kept + following, is_quoted=True), at + 2
    if letter == "'" and not quoted:
        end = text.find("'", at + 1)
        end = len(text) if end < 0 else end
        return Literal(text[at + 1 : end], is_quoted=True), end + 1
    stop = at + 1
    stops = '$`\\"' if quoted else "$`\\'\""
    while stop < len(text) and text[stop] not in stops:
        stop += 1
    return Literal(text[at:stop], quoted), stop


def _after(text: str, start: int, sign: str) -> int:
    at = start
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] == sign:
            return at + 1
        at += 1
    return len(text)


def _ansi(text: str, start: int) -> tuple[Part, int]:
    letters: list[str] = []
    at = start
    while at < len(text) and text[at] != "'":
        if text[at] == "\\" and at + 1 < len(text):
            at += 1
            letters.append(_ESCAPES.get(text[at], "\\" + text[at]))
        else:
            letters.append(text[at])
        at += 1
    return Literal("".join(letters), is_quoted=True), at + 1
