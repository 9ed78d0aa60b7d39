"""`vllm-diagnose explain`: the page of one rule. Not for what the page says."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.catalogue.loading import known_rule, load_rules
from bot.cli.catalogue.page import rule_page
from bot.cli.terminal import write_line
from rules.releases.shipped import load_releases

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


class Language(StrEnum):
    """In which language the page is."""

    EN = "en"
    ZH = "zh"


@app.command()
def explain(
    rule: Annotated[str, typer.Argument(metavar="RULE", show_default=False, help="Id of a rule.")],
    *,
    lang: Annotated[Language, typer.Option(help="Language of the page.")] = Language.EN,
    private: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Your own rules as well.")] = None,
) -> int:
    """Print the page of a rule: what, why, fix per release, how to verify, false positives, references.

    For example: vllm-diagnose explain vit-backend-rejected
    """
    catalogue = load_rules(private)
    write_line(rule_page(known_rule(catalogue, rule), catalogue, load_releases(), lang.value).rstrip())
    return 0
