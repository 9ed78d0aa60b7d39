"""Finds tracebacks and exception lines, each process by itself. Not for telling which is the cause."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from rules.engine.paste.evidence import EvidenceLine
from rules.engine.paste.exception_lines import ExceptionText, read_exception_line

_HEAD: Final = "Traceback (most recent call last)"
_DURING: Final = "During handling of the above exception"
_DIRECT: Final = "The above exception was the direct cause"
#: lines of a message after its exception line that are looked at
_LONGEST_MESSAGE: Final = 40


class Link(StrEnum):
    """How an exception relates to the one printed before it in the same traceback."""

    NONE = "none"
    #: raised `from` the one before
    CAUSED = "caused"
    #: raised while the one before was handled
    DURING = "during"


@dataclass(frozen=True, slots=True)
class Raised:
    """One exception line."""

    #: index into the lines
    index: int
    #: number of the line in the original paste, from 1
    number: int
    name: str
    message: str
    process: str | None = None
    pid: str | None = None
    level: str | None = None
    origin: str | None = None
    link: Link = Link.NONE
    #: index of the line that says more, such as the `Value error, …` line of pydantic
    detail_index: int | None = None
    detail: str | None = None
    #: True when a traceback led to it
    in_traceback: bool = False
    #: True when the traceback stood under `Exception ignored in`
    ignored: bool = False

    @property
    def short_name(self) -> str:
        """Return the name without its module."""
        return self.name.rsplit(".", 1)[-1]

    @property
    def text(self) -> str:
        """Return the line as printed, with the deciding line of a message of several lines after a bar."""
        if self.name.endswith(": error"):
            first = f"{self.name}: {self.message}"
        elif self.message.startswith(self.name):
            first = self.message
        else:
            first = f"{self.name}: {self.message}" if self.message else self.name
        return f"{first} | {self.detail.strip()}" if self.detail else first


@dataclass(frozen=True, slots=True)
class Traceback:
    """A chain of tracebacks of one process, or an exception line that stands alone."""

    #: in the order printed: the innermost cause first
    raised: tuple[Raised, ...]
    #: index of the first and of the last line
    first: int
    last: int
    process: str | None
    #: files of the frames, in order
    frames: tuple[str, ...] = ()
    #: True when it ends without its exception line
    cut: bool = False


_Key = tuple[str | None, str | None, str | None]


@dataclass(slots=True)
class _Open:
    """A traceback that is being read."""

    first: int
    last: int
    raised: list[Raised] = field(default_factory=list)
    frames: list[str] = field(default_factory=list)
    link: Link = Link.NONE
    #: True while frames are expected, so that an unindented line must be the exception
    in_frames: bool = False
    indented: bool = False
    ignored: bool = False


def read_tracebacks(lines: Sequence[EvidenceLine]) -> tuple[Traceback, ...]:
    """Return all tracebacks and exception lines, by the position of their first exception line.

    Lines of several processes may be mixed: each process, and each place it logs from, is read by itself.
    """
    reader = _Reader(lines)
    for index in range(len(lines)):
        reader.take(index)
    return reader.finish()


class _Reader:
    """The state of each process while lines are read one by one."""

    def __init__(self, lines: Sequence[EvidenceLine]) -> None:
        self._lines = lines
        self._open: dict[_Key, _Open] = {}
        self._done: list[Traceback] = []
        self._ignored: set[_Key] = set()

    def take(self, index: int) -> None:
        """Read one more line."""
        line = self._lines[index]
        text = line.text
        key = (line.process, line.pid, line.origin)
        current = self._open.get(key)
        if not text or text[0] in " \t^~|":
            if current is not None:
                _take_indented(current, text, index)
            if "Traceback (most" not in text:
                return
        if _HEAD in text:
            self._begin(key, index)
        elif current is None:
            self._take_alone(key, index)
        elif text.startswith(_DURING):
            current.link = Link.DURING
        elif text.startswith(_DIRECT):
            current.link = Link.CAUSED
        elif text.startswith('File "'):
            current.frames.append(_file(text))
            current.last, current.in_frames = index, True
        else:
            self._take_unindented(key, current, index)

    def _begin(self, key: _Key, index: int) -> None:
        current = self._open.get(key)
        if current is not None and (
            current.link is not Link.NONE or (current.in_frames and not current.frames)
        ):
            current.last, current.in_frames = index, True
            return
        self._close(key)
        self._open[key] = _Open(index, index, in_frames=True, ignored=key in self._ignored)
        self._ignored.discard(key)

    def _take_alone(self, key: _Key, index: int) -> None:
        """Read a line outside any traceback."""
        text = self._lines[index].text
        if text.startswith("Exception ignored in"):
            self._ignored.add(key)
            return
        found = read_exception_line(text)
        if found is not None:
            raised = self._raised(index, found, Link.NONE, in_traceback=False)
            self._done.append(Traceback((raised,), index, index, raised.process))

    def _take_unindented(self, key: _Key, current: _Open, index: int) -> None:
        """Read a line at the margin: the exception, more of its message, or the end of the traceback."""
        text = self._lines[index].text
        found = read_exception_line(text)
        if found is None and current.in_frames and current.indented:
            found = _unusual(text)
        if found is not None and (current.in_frames or not current.raised):
            raised = self._raised(index, found, current.link, in_traceback=True, ignored=current.ignored)
            current.raised.append(raised)
            current.last, current.in_frames, current.link = index, False, Link.NONE
            return
        if found is not None:
            self._close(key)
            self._take_alone(key, index)
        elif not current.in_frames:
            self._end_of_message(key, current, index)

    def _end_of_message(self, key: _Key, current: _Open, index: int) -> None:
        if index - current.last > _LONGEST_MESSAGE:
            self._close(key)
            self._take_alone(key, index)

    def _raised(
        self, index: int, found: ExceptionText, link: Link, *, in_traceback: bool, ignored: bool = False
    ) -> Raised:
        line = self._lines[index]
        detail_index = self._detail(index) if "validation error" in found.message else None
        return Raised(
            index,
            line.number,
            found.name,
            found.message,
            line.process,
            line.pid,
            line.level,
            line.origin,
            link,
            detail_index,
            None if detail_index is None else self._lines[detail_index].text.strip(),
            in_traceback,
            ignored,
        )

    def _detail(self, index: int) -> int | None:
        """Return the index of the first indented line of a pydantic error, which says what is wrong."""
        line = self._lines[index]
        for position in range(index + 1, min(index + _LONGEST_MESSAGE, len(self._lines))):
            candidate = self._lines[position]
            if (candidate.process, candidate.pid, candidate.origin) != (line.process, line.pid, line.origin):
                continue
            if (
                candidate.text.lstrip().startswith(("Value error,", "Assertion failed,"))
                or "[type=" in candidate.text
            ):
                return position
        return None

    def _close(self, key: _Key) -> None:
        current = self._open.pop(key, None)
        if current is not None:
            self._done.append(
                Traceback(
                    tuple(current.raised),
                    current.first,
                    current.last,
                    key[0],
                    tuple(current.frames),
                    cut=(current.in_frames and bool(current.frames)) or not current.raised,
                )
            )

    def finish(self) -> tuple[Traceback, ...]:
        """Return what was read."""
        for key in list(self._open):
            self._close(key)
        return tuple(
            sorted(self._done, key=lambda block: block.raised[0].index if block.raised else block.first)
        )


def _take_indented(current: _Open, text: str, index: int) -> None:
    stripped = text.lstrip()
    if stripped.startswith('File "'):
        current.frames.append(_file(stripped))
        current.in_frames = current.indented = True
        current.last = index
    elif current.in_frames:
        current.last = index


def _file(text: str) -> str:
    """Return the file of `File "…", line N, in name`."""
    return text[6:].partition('"')[0]


def _unusual(text: str) -> ExceptionText | None:
    """Read the last line of a traceback whose exception has an unusual name: the first at the margin."""
    name, colon, message = text.partition(": ")
    plain = name.replace(".", "").replace("_", "")
    if (
        colon
        and plain.isalnum()
        and not plain.isdigit()
        and name[-1:] != "."
        and ("." in name or name[:1].isupper())
    ):
        return ExceptionText(name, message.strip())
    return None
