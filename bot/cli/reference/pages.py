"""All generated pages by path, and writing them. Not for what one page says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bot.audit.keys import KEY_VARIABLE
from bot.checking.contract_model import json_schema as check_schema
from bot.cli.backends.model import json_schema as matrix_schema
from bot.cli.catalogue.loading import load_rules
from bot.cli.catalogue.page import rule_page
from bot.cli.reference.catalogue import classes_page, rules_page
from bot.cli.reference.commands import commands_page, exit_codes_page
from bot.cli.reference.settings import settings_page
from bot.settings import CONFIG_VARIABLE, Settings
from bot.triage.contract_model import json_schema
from rules.releases.shipped import load_releases

if TYPE_CHECKING:
    from pathlib import Path

    from rules.engine.rule.catalogue import Catalogue
    from rules.engine.rule.model import Rule


def pages() -> dict[str, str]:
    """Return the text of every generated page by its path below docs/reference."""
    catalogue = load_rules()
    return {
        "commands.md": commands_page(),
        "exit-codes.md": exit_codes_page(),
        "settings.md": settings_page(Settings, CONFIG_VARIABLE, KEY_VARIABLE),
        "classes.md": classes_page(catalogue),
        "backends.schema.json": _schema(matrix_schema()),
        "check.schema.json": _schema(check_schema()),
        "diagnose.schema.json": _schema(json_schema()),
        "rules/README.md": rules_page(catalogue),
        **{f"rules/{rule.id}.md": _rule_page(rule, catalogue) for rule in catalogue.rules},
    }


def _schema(schema: dict[str, object]) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _rule_page(rule: Rule, catalogue: Catalogue) -> str:
    return rule_page(rule, catalogue, load_releases(), "en")


def write_pages(folder: Path) -> list[Path]:
    """Write every page that differs, remove pages of rules that are gone, and return what was touched."""
    wanted = pages()
    touched = []
    for name, text in wanted.items():
        path = folder / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            touched.append(path)
    for path in sorted((folder / "rules").glob("*.md")):
        if f"rules/{path.name}" not in wanted:
            path.unlink()
            touched.append(path)
    return touched
