"""Launches as they come, words or files, turned into findings. Shared by terminal and chat; opens nothing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rules.engine.launch_files import read_launches
from rules.engine.preflight import Known, Launch, NoLaunchError, examine, read_launch
from rules.engine.preflight.reading.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bot.checking.judged import Judgement
    from rules.engine.launch_files import FoundLaunch, Remark
    from rules.engine.preflight import Findings
    from rules.engine.preflight.answering import Answers

_EMPTY: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Asked:
    """What is said beside a launch, and how to answer."""

    vllm_version: str | None = None
    #: in any common spelling
    gpu: str | None = None
    model_config: Mapping[str, Any] | None = None
    language: str = "en"
    #: texts of the files that `--config` and env files name, by that name
    files: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    #: names of the files in the model's folder, where it lies here
    model_files: frozenset[str] | None = None

    def known(self) -> Known:
        """Return what is known beside the launch."""
        return Known(
            vllm_version=self.vllm_version,
            gpu=self.gpu,
            model_config=self.model_config,
            config_files=self.files,
            model_files=self.model_files,
        )


@dataclass(frozen=True, slots=True)
class Checked:
    """One launch and what was found."""

    launch: Launch
    findings: Findings
    #: the part of the file (`service vllm`), None for a command
    where: str | None = None
    #: from 1
    line: int | None = None
    #: what the installed vLLM said, where it was asked
    judged: Judgement | None = None

    @property
    def ok(self) -> bool:
        """True when neither the facts nor the installed vLLM stop the start."""
        return self.findings.ok and not (self.judged is not None and self.judged.is_refused)


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """The launches of one file, and what there is to say of reading it."""

    launches: tuple[Checked, ...]
    remarks: tuple[Remark, ...] = ()


def check_launch(launch: Launch, asked: Asked, answers: Answers) -> Checked:
    """Return what is wrong with a launch."""
    return Checked(launch, examine(launch, asked.known(), answers, asked.language))


def check_words(words: Sequence[str], env: Mapping[str, str], asked: Asked, answers: Answers) -> Checked:
    """Return what is wrong with a command. Raises `NoLaunchError` when it launches no server of vLLM."""
    return check_launch(read_launch(words, env), asked, answers)


def check_file(
    name: str,
    text: str,
    asked: Asked,
    answers: Answers,
    look_up: Callable[[Launch, Asked], Asked] = lambda _, asked: asked,
) -> CheckedFile:
    """Return what is wrong with each launch of a script, compose file, unit or manifest.

    A command as somebody typed it into a chat is a script (`launch.sh`) of one line or of several.
    """
    reading = read_launches(name, text, beside=asked.files)
    found: list[Checked] = []
    for one in reading.launches:
        launch = launch_of(one)
        if launch is not None:
            checked = check_launch(launch, look_up(launch, asked), answers)
            found.append(replace(checked, where=one.where, line=one.line))
    return CheckedFile(tuple(found), reading.remarks)


def launch_of(found: FoundLaunch) -> Launch | None:
    """Return a launch that a file holds; None where its words launch no server after all."""
    try:
        launch = read_launch(found.argv, found.env)
    except NoLaunchError:
        return None
    image = found.image or launch.image
    return replace(launch, image=image, unresolved=found.unresolved, unset=found.unset)


def model_of(launch: Launch, answers: Answers) -> str | None:
    """Return the model that a launch names, None when it names none or leaves it open."""
    newest = answers.releases.get(answers.releases.versions()[-1])
    model = parse(newest, launch.words, serve=launch.is_serve).model
    return None if model is None or any(part in model for part in launch.unresolved) else model
