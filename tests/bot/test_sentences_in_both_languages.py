"""The bot's own sentences: the same ids and placeholders in every language, none missing in code."""

import re
from pathlib import Path

import pytest

from bot.locale import LANGUAGES, UnknownSentenceError, say, sentences, supported

ROOT = Path(__file__).parents[2]
PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_sentence_with_the_same_placeholders(language):
    english, other = sentences("en"), sentences(language)
    own = [path.name for path in (ROOT / "bot" / "locale" / language).glob("*.json")]

    assert own == [path.name for path in (ROOT / "bot" / "locale" / "en").glob("*.json")] or sorted(own)
    assert set(other) == set(english)
    for key, text in english.items():
        assert set(PLACEHOLDER.findall(other[key])) == set(PLACEHOLDER.findall(text)), key


def test_the_page_asks_only_for_sentences_that_exist():
    known = sentences("en")
    scripts = "".join(path.read_text() for path in (ROOT / "bot" / "web" / "static").glob("*.js"))
    templates = "".join(path.read_text() for path in (ROOT / "bot" / "web" / "templates").glob("*.html"))
    asked = {f"console.{key}" for key in re.findall(r"""\bsay\("([a-z.-]+)["]""", scripts)}
    asked |= set(re.findall(r"""say\(["']([a-z.-]+)["'][,)]""", templates))

    assert len(asked) > 60
    assert asked - set(known) == set()


def test_a_placeholder_is_filled_and_what_fills_it_is_not_read_again():
    assert say("card.ask.command", "en", fact="{name}") == "Command that shows {name}"


def test_an_unknown_sentence_is_an_error_that_says_where_to_add_it():
    with pytest.raises(UnknownSentenceError, match="bot/locale/en"):
        say("no.such.sentence", "en")


@pytest.mark.parametrize(
    ("tag", "language"),
    [("zh-CN", "zh"), ("zh_TW", "zh"), ("de-DE", "en"), ("", "en"), (None, "en"), ("EN", "en")],
)
def test_a_language_without_sentences_is_answered_in_english(tag, language):
    assert supported(tag) == language
