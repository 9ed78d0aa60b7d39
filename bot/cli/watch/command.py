"""`vllm-diagnose watch`: its options and its help. Not for following a log."""

from typing import Annotated

import typer

from bot.cli.answer.diagnose import Language
from bot.cli.answer.request import Request

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)

_QUIET = "Seconds without a line about a failure after which it is diagnosed."


@app.command()
def watch(  # noqa: PLR0913 (each parameter is an option of the contract)
    files: Annotated[
        list[str], typer.Argument(metavar="FILE|-", show_default=False, help="Logs; `-`: standard input.")
    ],
    *,
    from_start: Annotated[
        bool, typer.Option("--from-start", help="Also look at what the logs hold already.")
    ] = False,
    once: Annotated[
        bool, typer.Option("--once", help="End after the first incident, with the exit code of diagnose.")
    ] = False,
    channel: Annotated[
        str | None, typer.Option(metavar="PLATFORM:ID", help="Raise in this channel: console:incidents.")
    ] = None,
    quiet_seconds: Annotated[float, typer.Option(min=0.05, max=600, metavar="S", help=_QUIET)] = 5.0,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object per incident, a line each.")
    ] = False,
    lang: Annotated[Language, typer.Option(help="Language; auto: that of the text.")] = Language.AUTO,
    vllm_version: Annotated[str | None, typer.Option(metavar="V", help="The vLLM release.")] = None,
    gpu: Annotated[str | None, typer.Option(metavar="NAME", help="The GPU: H100, Tesla T4, sm_90.")] = None,
    model: Annotated[str | None, typer.Option(metavar="NAME", help="The model that was launched.")] = None,
    env_file: Annotated[str | None, typer.Option(metavar="F", help="Variables: NAME=value lines.")] = None,
    command: Annotated[str | None, typer.Option(metavar="LINE", help="The launch: 'vllm serve …'.")] = None,
) -> int:
    """Follow logs and raise incidents: each failed start is diagnosed, a restart loop once.

    Logs are followed by name, through rotation and truncation, from their end on.

    For example: vllm-diagnose watch /var/log/vllm.log
    """
    # the engine is slow to import, and `--help` does not need it
    from bot.cli.watch.watching import Wish, watch_until_told  # noqa: PLC0415

    names = tuple(dict.fromkeys(files))
    request = Request(names, as_json, lang.value, vllm_version, gpu, model, env_file, command)
    return watch_until_told(Wish(request, quiet_seconds, channel, from_start=from_start, once=once))
