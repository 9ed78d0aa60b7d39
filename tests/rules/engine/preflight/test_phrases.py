"""The sentences of a preflight say the same in both languages, and none is left over."""

import re
from pathlib import Path

import pytest

from rules.engine.remedy.words import placeholders
from rules.engine.rule.loading import load_catalogue

PHRASES = load_catalogue().phrases
OURS = sorted(key for key in PHRASES["en"] if key.startswith("preflight."))
CODE = Path(__file__).parents[4] / "rules" / "engine" / "preflight"
SOURCES = "\n".join(path.read_text() for path in CODE.rglob("*.py"))
#: put together from a beginning and a kind
MADE = re.compile(r"value-invalid\.|note\.|instead\.")


@pytest.mark.parametrize("key", OURS)
def test_both_languages_name_the_same_values(key):
    assert placeholders(PHRASES["zh"][key]) == placeholders(PHRASES["en"][key])


@pytest.mark.parametrize("key", OURS)
def test_every_sentence_is_said_somewhere(key):
    name = key.removeprefix("preflight.")

    assert MADE.match(name) or f'"{name}"' in SOURCES or f'"{key}"' in SOURCES
