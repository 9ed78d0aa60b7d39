"""`vllm-diagnose diagnose`: reads inputs, asks the engine, prints its answers. Not for judging a paste."""

import sys
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

import typer

from bot.cli.answer.inputs import STDIN, opened, shown
from bot.cli.exits import CommandError, ExitCode, verdict_code
from bot.cli.terminal import complain, write_json, write_line
from bot.triage.contract import report_to_json
from rules.engine.paste.facts import Given
from rules.engine.report import Report, Status
from rules.engine.start import start_engine

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


class Language(StrEnum):
    """In which language the answer is."""

    EN = "en"
    ZH = "zh"
    AUTO = "auto"


@app.command()
def diagnose(  # noqa: PLR0913 (each parameter is an option of the contract)
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE…|-]", show_default=False, help="Logs; `-` or none: standard input."),
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per input, a line each.")] = False,
    lang: Annotated[Language, typer.Option(help="Language; auto: that of the text.")] = Language.AUTO,
    vllm_version: Annotated[str | None, typer.Option(metavar="V", help="The vLLM release.")] = None,
    gpu: Annotated[str | None, typer.Option(metavar="NAME", help="The GPU: H100, Tesla T4, sm_90.")] = None,
    model: Annotated[str | None, typer.Option(metavar="NAME", help="The model that was launched.")] = None,
    env_file: Annotated[str | None, typer.Option(metavar="F", help="Variables: NAME=value lines.")] = None,
    command: Annotated[str | None, typer.Option(metavar="LINE", help="The launch: 'vllm serve …'.")] = None,
) -> int:
    """Diagnose pastes or logs: the cause, the fix for your release, GPU and model, and its proof.

    Options give facts that the text lacks; what the text itself says wins.

    For example: vllm-diagnose diagnose --gpu H100 vllm.log
    """
    given = Given(vllm_version, gpu, model, _variables(env_file), command)
    names = files or [STDIN]
    engine = start_engine()
    statuses: list[Status] = []
    for name in names:
        try:
            with opened(name) as stream:
                report = engine.diagnose_stream(stream, given, lang.value)
        except CommandError as error:
            complain(str(error))
            continue
        statuses.append(report.status)
        _show(report, shown(name), as_json=as_json, headed=len(names) > 1)
    return verdict_code(statuses) if len(statuses) == len(names) else ExitCode.UNUSABLE_INPUT


def _variables(env_file: str | None) -> Mapping[str, str]:
    if env_file is None:
        return {}
    from bot.cli.answer.variables import read_variables  # noqa: PLC0415 (its parser is slow to import)

    variables, faulty = read_variables(env_file)
    for line in faulty:
        complain(f"{shown(env_file)}:{line} is not NAME=value and was left out")
    return variables


def _show(report: Report, name: str, *, as_json: bool, headed: bool) -> None:
    if as_json:
        write_json(report_to_json(report, name))
    elif sys.stdout is not None:
        # rich is slow to import, and programs never need it
        from bot.cli.answer.human import print_report  # noqa: PLC0415
        from bot.cli.answer.page import Page  # noqa: PLC0415

        if headed:
            write_line(f"== {name} ==")
        print_report(report, Page(sys.stdout))
        if headed:
            write_line("")
    if sys.stdout is not None:
        sys.stdout.flush()
