"""`vllm-diagnose diagnose`: its options and its help. Not for answering."""

from enum import StrEnum
from typing import Annotated

import typer

from bot.cli.answer.answering import answer
from bot.cli.answer.request import STDIN, Request

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
        typer.Argument(metavar="FILE|-", show_default=False, help="Logs; `-` or none: standard input."),
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
    names = tuple(files or [STDIN])
    return answer(Request(names, as_json, lang.value, vllm_version, gpu, model, env_file, command))
