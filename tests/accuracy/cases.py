"""Labelled cases read from a corpus: what is pasted, what is given beside it, what is right. Not for judging."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from rules.engine.paste.facts import Given

#: files of a corpus folder, those that it holds
FILES = ("backend.jsonl", "other.jsonl", "negative.jsonl", "live/index.jsonl")
#: labels of a fix that nobody confirmed, so that it is no yardstick
_UNPROVEN = "inferred"


class UnusableCorpusError(Exception):
    """A corpus cannot be read; the sentence says what and where."""


class Right(StrEnum):
    """What the right answer to a case is."""

    #: a diagnosis of one of the case's classes
    CLASS = "class"
    #: a question, for the deciding line is missing; a *possible* diagnosis is right too
    QUESTION = "question"
    #: no diagnosis at all
    QUIET = "quiet"
    #: a failure that no class fits: anything but a diagnosis of the attention-backend family
    OPEN = "open"
    #: only the line of the root cause is labelled
    LINE = "line"


@dataclass(frozen=True, slots=True)
class Case:
    """One labelled incident."""

    id: str
    #: name of the file that it stands in
    file: str
    #: where the incident was reported; cases of one thread do not count as two that agree
    thread: str
    paste: str
    given: Given
    right: Right
    #: the label under which it is counted
    label: str
    #: classes that are right first
    classes: frozenset[str] = frozenset()
    #: groups of fixes of which the first fix must be; empty where none was proven
    fix_groups: frozenset[str] = frozenset()
    #: number and text of the line that tells the root cause, where that is labelled
    root: tuple[int, str] | None = None


def read_corpus(path: Path) -> list[Case]:
    """Return the cases of one JSON Lines file, or of all files that a corpus folder holds.

    Raises `UnusableCorpusError`.
    """
    files = [path / name for name in FILES if (path / name).is_file()] if path.is_dir() else [path]
    cases = [case for file in files for case in _cases(file)]
    if not cases:
        raise UnusableCorpusError(
            f"{path} holds no case; give a .jsonl file or a folder with {', '.join(FILES)}"
        )
    return cases


def _cases(file: Path) -> Iterator[Case]:
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UnusableCorpusError(f"{file} cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                case = _Row.model_validate_json(line).case(file)
            except (ValidationError, ValueError, OSError) as error:
                reason = str(error).splitlines()[-1 if isinstance(error, OSError) else 0]
                raise UnusableCorpusError(f"{file}:{number} is no labelled case: {reason}") from error
            if case.right is not Right.LINE or case.root is not None:
                yield case


#: what a row leaves open is null
_Words = Annotated[tuple[str, ...], BeforeValidator(lambda value: value or ())]


class _Row(BaseModel):
    """One row of any of the files; which file it is of shows in its keys."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str | None = None
    url: str | None = None
    error_lines: _Words = ()
    text_lines: _Words = ()
    log: str | None = None
    vllm_version: str | None = None
    vllm_version_text: str | None = None
    gpu: str | None = None
    model: str | None = None
    command: str | None = None
    how_launched: str | None = None
    env: Mapping[str, str] = {}
    symptom_class: str | None = None
    accepts: _Words = ()
    expected_class: str | None = None
    expected_status: str | None = None
    fix_groups: _Words = ()
    fix_confidence: str = _UNPROVEN
    root_cause_line_no: int | None = None
    root_cause_text: str | None = None

    def case(self, file: Path) -> Case:
        if self.log is not None:
            return self._of_live_run(file)
        lines = self.error_lines or self.text_lines
        if not lines or self.id is None:
            raise ValueError("`id` and `error_lines`, `text_lines` or `log` are needed")
        failure_class = self.symptom_class or self.expected_class
        right = self._right(failure_class)
        proven = self.fix_confidence != _UNPROVEN and right is Right.CLASS
        return Case(
            id=self.id,
            file=file.name,
            thread=self.url or self.id,
            paste="\n".join(lines),
            given=Given(
                vllm_version=self.vllm_version or self.vllm_version_text,
                gpu=self.gpu,
                model=self.model,
                env=self.env,
                command=self.command or self.how_launched,
            ),
            right=right,
            label=failure_class or f"({right.value})",
            classes=frozenset({failure_class, *self.accepts} - {None}) if failure_class else frozenset(),
            fix_groups=frozenset(self.fix_groups) - {"unknown"} if proven else frozenset(),
        )

    def _right(self, failure_class: str | None) -> Right:
        if self.expected_status == "need-more":
            return Right.QUESTION
        if self.expected_status == "not-an-incident":
            return Right.QUIET
        if failure_class is not None:
            return Right.CLASS
        return Right.LINE if self.log is not None else Right.OPEN

    def _has_root(self, right: Right) -> bool:
        """Tell whether a line is the root cause: a server that was stopped may leave one that is none."""
        return self.root_cause_line_no is not None and right is not Right.QUIET

    def _of_live_run(self, file: Path) -> Case:
        log = file.parent / (self.log or "")
        right = self._right(self.expected_class)
        return Case(
            id=(self.log or "").removesuffix(".log"),
            file=file.name,
            thread=self.log or "",
            paste=log.read_text(encoding="utf-8", errors="replace"),
            given=Given(),
            right=right,
            label=self.expected_class or f"({right.value})",
            classes=frozenset({self.expected_class} - {None}) if self.expected_class else frozenset(),
            root=(self.root_cause_line_no, self.root_cause_text or "") if self._has_root(right) else None,
        )
