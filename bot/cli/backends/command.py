"""`vllm-diagnose backends`: its options and its help. Not for what the matrix says."""

import sys
from enum import StrEnum
from typing import Annotated

import typer

from bot.cli.backends.reading import model_named
from bot.cli.exits import CommandError, ExitCode
from bot.cli.named import check_gpu, release_named
from bot.cli.terminal import write_json
from rules.engine.backend_matrix.matrix import Asked, build_matrix
from rules.engine.backend_matrix.question import AUTO
from rules.engine.paste.masking import mask
from rules.releases.release import Release
from rules.releases.shipped import load_releases

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

_KV_FLAG = "--kv-cache-dtype"


class Language(StrEnum):
    """In which language the answer is."""

    EN = "en"
    ZH = "zh"


@app.command()
def backends(  # noqa: PLR0913 (each parameter is an option of the contract)
    model: Annotated[
        str | None,
        typer.Argument(
            metavar="MODEL", show_default=False, help="A hub id, a name, a class, a local folder."
        ),
    ] = None,
    *,
    vllm_version: Annotated[
        str, typer.Option(metavar="V", show_default=False, help="The vLLM release.", rich_help_panel=None)
    ],
    gpu: Annotated[str | None, typer.Option(metavar="NAME", help="The GPU: H100, Tesla T4, sm_90.")] = None,
    kv_cache_dtype: Annotated[str, typer.Option(metavar="TYPE", help="Format of the KV cache.")] = AUTO,
    block_size: Annotated[int | None, typer.Option(metavar="N", min=1, help="Tokens per block.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
    lang: Annotated[Language, typer.Option(help="Language of the answer.")] = Language.EN,
) -> int:
    """Print which attention backends work for a model in a release, text and vision, and why others do not.

    Without a GPU there is a column for each compute capability.

    For example: vllm-diagnose backends Qwen3-VL --vllm-version 0.12.0 --gpu H100
    """
    release = release_named(vllm_version, load_releases())
    _check(release, gpu, kv_cache_dtype)
    known = model_named(model) if model is not None else None
    shown = None if model is None else mask(model)[0]
    asked = Asked(release, gpu, shown, known, kv_cache_dtype, block_size)
    matrix = build_matrix(asked)
    if as_json:
        from bot.cli.backends.model import matrix_to_json  # noqa: PLC0415 (pydantic)

        write_json(matrix_to_json(matrix, lang.value))
    elif sys.stdout is not None:
        from bot.cli.answer.page import Page  # noqa: PLC0415 (rich)
        from bot.cli.backends.human import print_matrix  # noqa: PLC0415

        print_matrix(matrix, Page(sys.stdout), lang.value)
    return ExitCode.SOUND


def _check(release: Release, gpu: str | None, kv_cache_dtype: str) -> None:
    if gpu is not None:
        check_gpu(gpu)
    flag = release.flag(_KV_FLAG)
    choices = flag.choices if flag is not None else None
    if choices is not None and kv_cache_dtype not in choices:
        problem = f"{_KV_FLAG}: vLLM {release.version} knows no {kv_cache_dtype!r}"
        raise CommandError(problem, f"it takes {', '.join(choices)}", ExitCode.WRONG_USAGE)
