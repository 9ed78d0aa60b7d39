"""docs/reference says what the program does: its pages are made from it and nothing is left out."""

import json
from pathlib import Path

import pytest

from bot.audit.keys import KEY_VARIABLE
from bot.cli.exits import MEANINGS, ExitCode
from bot.cli.reference.commands import command_helps
from bot.cli.reference.pages import pages, write_pages
from bot.cli.reference.settings import UndocumentedError, settings_page, variables
from bot.settings import CONFIG_VARIABLE, PREFIX, Settings
from rules.engine.rule.loading import load_catalogue

FOLDER = Path(__file__).parents[2] / "docs" / "reference"
WANTED = pages()


@pytest.mark.parametrize("name", sorted(WANTED))
def test_a_committed_page_is_what_the_generator_gives(name):
    assert (FOLDER / name).read_text(encoding="utf-8") == WANTED[name], "run `make docs`"


def test_no_page_is_left_of_a_rule_that_is_gone():
    left = {path.relative_to(FOLDER).as_posix() for path in (FOLDER / "rules").glob("*.md")}

    assert left == {name for name in WANTED if name.startswith("rules/")}


@pytest.mark.parametrize("name", sorted(WANTED))
def test_no_page_holds_a_path_of_this_machine(name):
    root = Path(__file__).parents[2]
    # a folder such as /tmp or /home is no secret of this machine, and vLLM's own texts name some
    for folder in (root, root.parent, Path.home()):
        is_plain = len(folder.parts) <= 2 and folder != Path.home()
        assert is_plain or f"{folder}/" not in WANTED[name]


def test_every_rule_has_a_page_and_stands_in_the_list():
    for rule in load_catalogue().rules:
        assert f"rules/{rule.id}.md" in WANTED
        assert f"[{rule.id}]({rule.id}.md)" in WANTED["rules/README.md"]


def test_every_class_is_in_its_page():
    for failure_class in load_catalogue().classes:
        assert f"| `{failure_class.name}` |" in WANTED["classes.md"]


def test_every_command_is_documented_with_an_example_of_itself():
    for path, text in command_helps():
        assert f"## `{path}`" in WANTED["commands.md"]
        assert "For example: vllm-diagnose" in text
        assert path == "vllm-diagnose" or f"For example: {path}" in text, path


def test_every_option_of_every_command_says_what_it_is_for():
    for path, text in command_helps():
        # the words of a long option stand on the line below it
        whole = text.replace("\n" + " " * 34, " ")
        options = [line.split() for line in whole.splitlines() if line.startswith("  --")]
        assert all(len(words) > 2 for words in options), path


def test_every_setting_is_documented_by_its_variable():
    names = [name for name, _ in variables(Settings, PREFIX, "__")]

    assert len(names) > 10
    for name in (*names, CONFIG_VARIABLE):
        assert f"| `{name}` |" in WANTED["settings.md"]


def test_a_setting_without_a_description_is_an_error():
    class Silent(Settings):
        volume: int = 3

    with pytest.raises(UndocumentedError, match="VOLUME"):
        settings_page(Silent, CONFIG_VARIABLE, KEY_VARIABLE)


def test_every_exit_code_has_a_meaning():
    assert set(MEANINGS) == set(ExitCode)


def test_the_schema_of_the_answer_is_a_schema():
    schema = json.loads(WANTED["diagnose.schema.json"])

    assert schema["type"] == "object"
    assert set(schema["required"]) == set(schema["properties"])


def test_writing_touches_only_what_differs_and_removes_what_is_gone(tmp_path):
    write_pages(tmp_path)
    stale = tmp_path / "rules" / "no-such-rule.md"
    stale.write_text("old", encoding="utf-8")
    (tmp_path / "classes.md").write_text("old", encoding="utf-8")

    touched = write_pages(tmp_path)

    assert touched == [tmp_path / "classes.md", stale]
    assert not stale.exists()
    assert write_pages(tmp_path) == []
