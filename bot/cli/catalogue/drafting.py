"""Writing the files of a new rule. Not for what they hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.cli.catalogue.loading import load_rules
from bot.cli.exits import CommandError, ExitCode, unknown_name
from rules.lint.scaffold import scaffold

if TYPE_CHECKING:
    from pathlib import Path


def draft_rule(rule_id: str, failure_class: str, line: str | None, folder: Path) -> list[Path]:
    """Write a rule of a known class below the folder of its family and return the files.

    Raises `CommandError` for an id that is none or taken, and for a class that does not exist.
    """
    catalogue = load_rules()
    families = {one.name: one.family for one in catalogue.classes}
    if failure_class not in families:
        raise unknown_name("class", failure_class, families, "docs/reference/classes.md")
    family = families[failure_class]
    try:
        files = scaffold(rule_id, family, line)
    except ValueError as error:
        advice = "such as `kv-cache-too-small`"
        problem = f"{rule_id!r} is no id of small letters, digits and hyphens"
        raise CommandError(problem, advice, ExitCode.WRONG_USAGE) from error
    home = folder / family
    if catalogue.rule(rule_id) is not None or (home / rule_id).exists():
        advice = "choose another id, or edit that rule"
        raise CommandError(f"the rule {rule_id} is there already", advice, ExitCode.WRONG_USAGE)
    written = []
    for name, text in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_with_class(text, failure_class), encoding="utf-8")
        written.append(path)
    return written


def _with_class(text: str, failure_class: str) -> str:
    """Return the text with the class filled in, in the one line that names it."""
    lines = text.splitlines(keepends=True)
    return "".join(f"class: {failure_class}\n" if line.startswith("class: ") else line for line in lines)
