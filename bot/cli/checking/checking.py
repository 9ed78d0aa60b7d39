"""Answers `check`: reads what was named, asks the preflight, prints what it says. Not for judging."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bot.checking.checked import Asked, Checked, CheckedFile, check_file, check_launch
from bot.checking.contract import checked_to_json
from bot.cli.answer.inputs import shown
from bot.cli.checking.at_hand import given_config, with_model
from bot.cli.checking.files import STDIN, STDIN_NAME, names_file, text_of, texts_beside, why_nothing
from bot.cli.checking.judging import Judges
from bot.cli.exits import CommandError, ExitCode
from bot.cli.named import check_gpu, check_releases
from bot.cli.terminal import PROGRAM, complain, write_json
from rules.engine.launch_files import RemarkKind, read_launches
from rules.engine.paste.masking import mask
from rules.engine.preflight import NoLaunchError, read_launch
from rules.engine.preflight.start import start_preflight
from rules.engine.rule.faults import CatalogueError
from rules.releases.store import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.cli.checking.request import CheckRequest
    from rules.engine.launch_files import Remark
    from rules.engine.preflight import Launch
    from rules.engine.preflight.answering import Answers

#: remarks that say a file holds nothing to check, which is no fault of a file that was not asked for by name
_NOTHING = frozenset({RemarkKind.NO_LAUNCH, RemarkKind.UNKNOWN_KIND, RemarkKind.NOT_TEXT})


def run_check(request: CheckRequest) -> int:
    """Print what is wrong with each launch, and return the exit code for all of them."""
    if not request.words and not request.files:
        example = f"`{PROGRAM} check -- vllm serve MODEL`, or `{PROGRAM} check --file compose.yaml`"
        raise CommandError("there is nothing to check", f"write {example}", ExitCode.WRONG_USAGE)
    answers = _answers()
    _check_named(request, answers)
    asked = _asked(request)
    env = _environment(request)
    show = partial(_show, request)
    checked: list[Checked] = []
    spoiled = False
    files = request.files
    if request.words:
        launched = _command(request, env, asked, answers)
        if launched is None:
            files = (*files, *request.words)
        else:
            show(launched, STDIN)
            checked.append(launched)
    for name in files:
        try:
            found = _file(name, request, asked, answers)
        except CommandError as error:
            complain(str(error))
            spoiled = True
            continue
        for one in found.launches:
            show(one, name)
            checked.append(one)
        spoiled |= _say_remarks(name, found, by_name=name in request.files)
    if spoiled:
        return ExitCode.UNUSABLE_INPUT
    return ExitCode.SOUND if all(one.ok for one in checked) else ExitCode.FAULTS


def _answers() -> Answers:
    try:
        return start_preflight()
    except CatalogueError as error:
        advice = f"`{PROGRAM} rules lint` shows every fault"
        raise CommandError("the rules cannot be read", advice, ExitCode.UNUSABLE_INPUT) from error
    except DataError as error:
        raise CommandError(str(error), "", ExitCode.UNUSABLE_INPUT) from error


def _check_named(request: CheckRequest, answers: Answers) -> None:
    """Refuse a release or a GPU of which nothing is known: what is not checked must not look sound."""
    if request.vllm_version is not None:
        check_releases(request.vllm_version, answers.releases)
    if request.gpu is not None:
        check_gpu(request.gpu)


def _asked(request: CheckRequest) -> Asked:
    config = given_config(request.model_config) if request.model_config is not None else None
    return Asked(request.vllm_version, request.gpu, config, request.language)


def _environment(request: CheckRequest) -> Mapping[str, str]:
    if request.env_file is None:
        return dict(os.environ)
    from bot.cli.answer.variables import read_variables  # noqa: PLC0415 (its parser is slow to import)

    variables, faulty = read_variables(request.env_file)
    for line in faulty:
        complain(f"{shown(request.env_file)}:{line} is not NAME=value and was left out")
    return variables


def _command(request: CheckRequest, env: Mapping[str, str], asked: Asked, answers: Answers) -> Checked | None:
    """Return what is wrong with the command; None when its words are names of files instead."""
    try:
        launch = read_launch(request.words, env)
    except NoLaunchError as error:
        if all(names_file(word) for word in request.words):
            return None
        problem = f"{shown(request.words[0])}: this launches no server of vLLM"
        advice = f"write the whole command, as in `{PROGRAM} check -- vllm serve MODEL`"
        raise CommandError(problem, advice, ExitCode.WRONG_USAGE) from error
    judges = Judges(request.judge)
    asked = with_model(launch, judges.told(launch, asked), answers, os.environ, here=True)
    return judges.joined(check_launch(launch, asked, answers))


def _file(name: str, request: CheckRequest, asked: Asked, answers: Answers) -> CheckedFile:
    text = text_of(name)
    reading_name = STDIN_NAME if name == STDIN else Path(name).name

    judges = Judges(request.judge)
    asked = replace(
        asked, files={**asked.files, **texts_beside(name, read_launches(reading_name, text).remarks)}
    )

    def look_up(launch: Launch, asked: Asked) -> Asked:
        return with_model(launch, judges.told(launch, asked), answers, os.environ, here=False)

    found = check_file(reading_name, text, asked, answers, look_up)
    if name in request.files:
        found = replace(found, remarks=tuple(_said(one, reading_name, text) for one in found.remarks))
    return replace(found, launches=tuple(judges.joined(one) for one in found.launches))


def _said(remark: Remark, name: str, text: str) -> Remark:
    return why_nothing(name, text) if remark.kind is RemarkKind.NO_LAUNCH else remark


def _say_remarks(name: str, found: CheckedFile, *, by_name: bool) -> bool:
    """Print the remarks on reading a file; return whether it could not be used although it was named."""
    said = [remark for remark in found.remarks if by_name or remark.kind not in _NOTHING]
    for remark in said:
        place = shown(name) if remark.line is None else f"{shown(name)}:{remark.line}"
        complain(mask(f"{place}: {remark.text}")[0])
    return by_name and not found.launches


def _show(request: CheckRequest, checked: Checked, name: str) -> None:
    masked = mask(name)[0]
    if request.as_json:
        write_json(checked_to_json(checked, masked))
    elif sys.stdout is not None:
        from bot.cli.answer.page import Page  # noqa: PLC0415 (rich is slow to import)
        from bot.cli.checking.human import print_checked  # noqa: PLC0415

        print_checked(checked, None if name == STDIN else masked, Page(sys.stdout))
    if sys.stdout is not None:
        sys.stdout.flush()
