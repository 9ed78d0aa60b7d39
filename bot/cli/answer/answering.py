"""Answers a request: reads the inputs, asks the engine, prints its answers. Not for judging a paste."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.cli.answer.inputs import opened, shown
from bot.cli.answer.request import LANGUAGES
from bot.cli.exits import CommandError, ExitCode, verdict_code
from bot.cli.terminal import complain, write_json, write_line
from bot.locale import say
from bot.triage.contract import report_to_json
from rules.engine.matching.scan.literals import UnprovenLiteralError
from rules.engine.paste.facts import Given
from rules.engine.paste.masking import mask
from rules.engine.rule.faults import CatalogueError
from rules.engine.start import start_engine
from rules.releases.store import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.cli.answer.request import Request
    from rules.engine.diagnose import Engine
    from rules.engine.report import Report, Status


def answer(request: Request) -> int:
    """Print one answer per input, in their order, and return the exit code for all of them.

    An input that cannot be read is said on stderr and does not lose the others.
    """
    given = given_of(request)
    engine = ready_engine()
    language = language_of(request)
    statuses: list[Status] = []
    for name in request.files:
        try:
            with opened(name) as log:
                report = engine.diagnose_stream(log, given, language)
        except CommandError as error:
            complain(str(error))
            continue
        statuses.append(report.status)
        show(report, shown(name), request, is_empty=log.is_empty)
    return verdict_code(statuses) if len(statuses) == len(request.files) else ExitCode.UNUSABLE_INPUT


def given_of(request: Request) -> Given:
    """Return the facts that the options give. Raises `CommandError`."""
    _check_quotes(request.command)
    variables = _variables(request.env_file)
    return Given(request.vllm_version, request.gpu, request.model, variables, request.command)


def language_of(request: Request) -> str:
    """Return in which language to answer: what programs read is never changed for what a terminal can show."""
    return request.language if request.as_json else _printable_language(request.language)


def ready_engine() -> Engine:
    """Return the engine. Raises `CommandError` when its rules or facts cannot be read."""
    try:
        return start_engine()
    except (CatalogueError, UnprovenLiteralError) as error:
        advice = "`vllm-diagnose rules lint` shows every fault"
        raise CommandError("the rules cannot be read", advice, ExitCode.UNUSABLE_INPUT) from error
    except DataError as error:
        raise CommandError(str(error), "", ExitCode.UNUSABLE_INPUT) from error


def _check_quotes(command: str | None) -> None:
    try:
        shlex.split(command or "")
    except ValueError as error:
        problem = "--command: a quote is not closed, or the line ends in a backslash"
        raise CommandError(
            problem, "give the whole command in one pair of quotes", ExitCode.WRONG_USAGE
        ) from error


def _printable_language(language: str) -> str:
    """Return the language to answer a person in: English where the output cannot show any other."""
    try:
        say("card.cause", "zh").encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return LANGUAGES[0]
    return language


def _variables(env_file: str | None) -> Mapping[str, str]:
    if env_file is None:
        return {}
    from bot.cli.answer.variables import read_variables  # noqa: PLC0415 (its parser is slow to import)

    variables, faulty = read_variables(env_file)
    for line in faulty:
        complain(f"{shown(env_file)}:{line} is not NAME=value and was left out")
    return variables


def show(report: Report, name: str, request: Request, *, is_empty: bool = False) -> None:
    """Print a report on the input of this name, as the request wants it."""
    if request.as_json:
        # the path of a log may name a person as much as the log does
        masked, count = mask(name)
        write_json(report_to_json(replace(report, redacted=report.redacted + count), masked))
    elif sys.stdout is not None:
        _show_page(report, name if len(request.files) > 1 else None, is_empty=is_empty)
    if sys.stdout is not None:
        sys.stdout.flush()


def _show_page(report: Report, name: str | None, *, is_empty: bool) -> None:
    # rich is slow to import, and programs never need it
    from bot.cli.answer.human import print_empty, print_report  # noqa: PLC0415
    from bot.cli.answer.page import Page  # noqa: PLC0415

    if name is not None:
        write_line(f"== {name} ==")
    show = print_empty if is_empty else print_report
    show(report, Page(sys.stdout))
    if name is not None:
        write_line("")
