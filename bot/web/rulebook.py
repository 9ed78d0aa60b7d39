"""The rules as their pages show them. Not for matching, and not for loading rules from files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rules.engine.remedy.words import Words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rules.engine.rule.catalogue import Catalogue
    from rules.engine.rule.model import ChangeTemplate, Fix, Rule

#: stands for what is only known of a particular launch
_OPEN = "…"


@dataclass(frozen=True)
class CatalogueRulebook:
    """The rules of a catalogue; meets `Rulebook`."""

    catalogue: Catalogue

    def rules(self) -> Sequence[Rule]:
        """Return all of them, by id."""
        return sorted(self.catalogue.rules, key=lambda rule: rule.id)

    def rule(self, rule_id: str) -> Rule | None:
        """Return one of them."""
        return self.catalogue.rule(rule_id)

    def fix_words(self, rule: Rule, language: str) -> tuple[str, ...]:
        """Return one sentence per fix of a rule, in the order of the rule."""
        words = Words(self.catalogue.phrases, language)
        return tuple(_sentence(fix, words) for fix in rule.fixes)


def _sentence(fix: Fix, words: Words) -> str:
    key = fix.phrase or f"fix.{fix.kind}"
    return words.say(key if words.has(key) else f"fix.{fix.kind}", _known(fix)).replace(" ?", f" {_OPEN}")


def _known(fix: Fix) -> dict[str, str]:
    """Return what a fix itself says about the placeholders of its sentence."""
    values = dict(fix.values)
    change: ChangeTemplate | None = fix.change
    if change is not None:
        values.setdefault("removed", ", ".join((*change.env_unset, *change.flags_unset)) or _OPEN)
        for name, value in (*change.env_set.items(), *change.flags_set.items()):
            values.setdefault("setting", name)
            values.setdefault("value", value if isinstance(value, str) else " / ".join(value.prefer))
    return values
