"""`vllm-diagnose check`: its options and its help. Not for checking."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.checking.request import CheckRequest

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


class Language(StrEnum):
    """In which language the answer is."""

    EN = "en"
    ZH = "zh"


Judge = Annotated[
    str | None,
    typer.Option(metavar="PYTHON", help="Ask the vLLM of that Python too; it loads nothing, takes a minute."),
]


#: what stands behind the first word belongs to the launch, also without `--`
@app.command(context_settings={"allow_interspersed_args": False})
def check(  # noqa: PLR0913 (each parameter is an option of the contract)
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="-- vllm serve …",
            show_default=False,
            help="The command that starts the server, or files.",
        ),
    ] = None,
    *,
    vllm_version: Annotated[str | None, typer.Option(metavar="V", help="The vLLM release.")] = None,
    gpu: Annotated[str | None, typer.Option(metavar="NAME", help="The GPU: H100, Tesla T4, sm_90.")] = None,
    env_file: Annotated[
        str | None, typer.Option(metavar="F", help="Variables of the server, for those of this shell.")
    ] = None,
    file: Annotated[
        list[str] | None,
        typer.Option(
            metavar="F",
            show_default=False,
            help="A script, compose file, systemd unit or manifest; repeatable.",
        ),
    ] = None,
    model_config: Annotated[
        Path | None, typer.Option(metavar="F", help="The model's config.json, where it lies elsewhere.")
    ] = None,
    judge: Judge = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per launch, a line each.")] = False,
    lang: Annotated[Language, typer.Option(help="Language of the answer.")] = Language.EN,
) -> int:
    """Check a launch before it costs you: would this start? Needs no GPU, loads no model, asks no network.

    Exit code 0: nothing found that stops the start; 1: it would not start.

    For example: vllm-diagnose check --vllm-version 0.11.2 --gpu T4 -- vllm serve Qwen/Qwen3-VL-8B-Instruct
    """
    from bot.cli.checking.checking import run_check  # noqa: PLC0415 (the engine)

    request = CheckRequest(
        words=tuple(words or ()),
        files=tuple(file or ()),
        vllm_version=vllm_version,
        gpu=gpu,
        env_file=env_file,
        model_config=model_config,
        judge=judge,
        as_json=as_json,
        language=lang.value,
    )
    return run_check(request)
