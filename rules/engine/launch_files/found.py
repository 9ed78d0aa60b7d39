"""What a file was found to launch, and what to say of the reading. Not for judging a launch."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum

from rules.engine.launch_files.images import image_release

#: no file that people write by hand holds more
MOST_LAUNCHES = 100
MOST_REMARKS = 50
#: a longer subject of a remark is cut
_LONGEST_SUBJECT = 200


class RemarkKind(StrEnum):
    """What there is to say of a reading."""

    NOT_TEXT = "not-text"
    TOO_LARGE = "too-large"
    TOO_DEEP = "too-deep"
    NOT_YAML = "not-yaml"
    TEMPLATE = "template"
    UNKNOWN_KIND = "unknown-kind"
    NO_LAUNCH = "no-launch"
    ENV_FILE_UNREAD = "env-file-unread"
    NOT_EXPORTED = "not-exported"
    ENTRYPOINT_TWICE = "entrypoint-twice"
    QUOTE_OPEN = "quote-open"
    CUT_SHORT = "cut-short"
    VALUE_OPEN = "value-open"


_SENTENCES = {
    RemarkKind.NOT_TEXT: "this is not text: name a script, compose file, systemd unit, Kubernetes manifest or "
    "Dockerfile",
    RemarkKind.TOO_LARGE: "{subject}: name the file that launches the server, or cut it down to that part",
    RemarkKind.TOO_DEEP: "{subject}: no program would read this as it is meant; write it out flat",
    RemarkKind.NOT_YAML: "this is not YAML: {subject}",
    RemarkKind.TEMPLATE: "this is a template: render it first (`helm template`), then check what comes out",
    RemarkKind.UNKNOWN_KIND: "this is no script, compose file, systemd unit, Kubernetes manifest or Dockerfile",
    RemarkKind.NO_LAUNCH: "nothing in here launches vLLM",
    RemarkKind.ENV_FILE_UNREAD: "variables from {subject} were not read: give the file along",
    RemarkKind.NOT_EXPORTED: "{subject} is set but not exported, so the server does not get it: write `export` "
    "before it",
    RemarkKind.ENTRYPOINT_TWICE: "the image {subject} starts `vllm serve` itself: leave these words out of the "
    "command",
    RemarkKind.CUT_SHORT: "the command ends early: behind a backslash there must be nothing, not even a blank, and no "
    "comment may follow on the next line",
    RemarkKind.VALUE_OPEN: "the value of {subject} does not stand in this file, so it was not looked at",
    RemarkKind.QUOTE_OPEN: "a quote is not closed in {subject}",
}


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing to know of a reading."""

    kind: RemarkKind
    #: from 1; None when it is about the whole file
    line: int | None = None
    subject: str = ""

    @property
    def text(self) -> str:
        """The remark as one English sentence."""
        return _SENTENCES[self.kind].replace("{subject}", self.subject[:_LONGEST_SUBJECT])


@dataclass(frozen=True, slots=True)
class FoundLaunch:
    """A launch of vLLM as a file says it."""

    #: `vllm serve …` or `python -m vllm.entrypoints… …`; wrappers such as `nohup` are left out
    argv: tuple[str, ...]
    #: what the file gives the server; an empty value is a value
    env: Mapping[str, str]
    #: the part of the file: `service vllm`, `container server of Deployment x`, `ExecStart`, `script`
    where: str
    #: from 1
    line: int
    image: str | None = None
    #: parts of `argv` that the file leaves open, as they stand there (`${MODEL}`)
    unresolved: tuple[str, ...] = ()
    #: variables that are set to what the file does not say; they are not in `env`
    unresolved_env: tuple[str, ...] = ()
    #: variables that are taken away from the server wherever else they are set
    unset: tuple[str, ...] = ()

    @property
    def arguments(self) -> tuple[str, ...]:
        """The words after `vllm serve`, or after the module."""
        words = self.argv
        if "-m" in words[:-1]:
            start = words.index("-m")
            if words[start + 1].startswith("vllm."):
                rest = words[start + 2 :]
                return rest[1:] if rest[:1] == ("serve",) and words[start + 1].endswith("cli.main") else rest
        return words[2:]

    @property
    def release(self) -> str | None:
        """The release that the tag of the image names (`v0.11.2` → `0.11.2`), if it does."""
        return None if self.image is None else image_release(self.image)


@dataclass(frozen=True, slots=True)
class FileReading:
    """What one file launches, in its order."""

    launches: tuple[FoundLaunch, ...] = ()
    remarks: tuple[Remark, ...] = ()


class UnreadableError(Exception):
    """A file, or a document of it, cannot be read on; the remark says why."""

    def __init__(self, kind: RemarkKind, line: int | None = None, subject: str = "") -> None:
        super().__init__(subject)
        self.remark = Remark(kind, line, subject)


class Findings:
    """Gathers launches and remarks while a file is read; knows the file's lines and the part that is read."""

    def __init__(self, beside: Mapping[str, str], known: Mapping[str, str]) -> None:
        #: texts of env files, by the name that the file gives them
        self.beside = beside
        #: values of variables that are known from outside
        self.known = known
        self.launches: list[FoundLaunch] = []
        self.remarks: list[Remark] = []
        #: letters that expansions may still make
        self.budget = 2_000_000
        #: values of YAML that may still be read
        self.nodes = 30_000
        self._offset = 0

    @contextmanager
    def part(self, first_line: int) -> Iterator[None]:
        """Read a text that begins on a line of the text that is being read."""
        before = self._offset
        self._offset += first_line - 1
        try:
            yield
        finally:
            self._offset = before

    def spend(self, letters: int) -> None:
        """Count letters that an expansion made. Raises `UnreadableError` when they grow without bound."""
        self.budget -= letters
        if self.budget < 0:
            subject = "variables that multiply each other"
            raise UnreadableError(RemarkKind.TOO_DEEP, None, subject)

    def launch(self, found: FoundLaunch) -> None:
        """Note a launch whose line counts from the part's first."""
        if len(self.launches) >= MOST_LAUNCHES:
            subject = f"more than {MOST_LAUNCHES} launches"
            raise UnreadableError(RemarkKind.TOO_LARGE, None, subject)
        self.launches.append(replace(found, line=found.line + self._offset))

    def remark(self, kind: RemarkKind, line: int | None = None, subject: str = "") -> None:
        """Note a remark once."""
        found = Remark(kind, None if line is None else line + self._offset, subject)
        if found not in self.remarks and len(self.remarks) < MOST_REMARKS:
            self.remarks.append(found)

    def reading(self) -> FileReading:
        """Return what was gathered."""
        return FileReading(tuple(self.launches), tuple(self.remarks))
