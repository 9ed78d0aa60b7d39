"""Loading the catalogue for a command, with a person's mistakes said in one sentence. Not for diagnosing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bot.cli.exits import CommandError, ExitCode, unknown_name
from rules.engine.rule.faults import CatalogueError
from rules.engine.rule.loading import load_catalogue

if TYPE_CHECKING:
    from rules.engine.rule.catalogue import Catalogue
    from rules.engine.rule.model import Rule


def load_rules(private: Path | None = None) -> Catalogue:
    """Return the shipped rules and those of a second folder. Raises `CommandError` for faults."""
    check_folder(private)
    try:
        return load_catalogue(private=private)
    except CatalogueError as error:
        first = error.faults[0]
        raise CommandError(
            f"the rules cannot be read: {relative(first.file)}:{first.line}: {first.message}",
            "`vllm-diagnose rules lint` shows every fault",
            ExitCode.UNUSABLE_INPUT,
        ) from error


def check_folder(private: Path | None) -> None:
    """Raise `CommandError` when the folder of an operator's own rules is not there."""
    if private is not None and not private.is_dir():
        advice = "name a folder that holds rules"
        raise CommandError(f"{private} is no folder", advice, ExitCode.UNUSABLE_INPUT)


def known_rule(catalogue: Catalogue, rule_id: str) -> Rule:
    """Return a rule. Raises `CommandError` with the nearest ids when there is none of this one."""
    rule = catalogue.rule(rule_id)
    if rule is None:
        known = [one.id for one in catalogue.rules]
        raise unknown_name("rule", rule_id, known, "vllm-diagnose rules list")
    return rule


def relative(path: Path) -> Path:
    """Return a path from the current folder where it lies below it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
