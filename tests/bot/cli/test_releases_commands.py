"""`releases`: what is known of each vLLM release, what changed, and adding one."""

import json
import shutil

import pytest

from bot.cli.exits import CommandError, ExitCode
from bot.cli.releases.adding import add_release, release_number
from bot.cli.releases.commands import change_line
from rules.releases.diff import Difference, What
from rules.releases.folder import write
from rules.releases.shipped import load_releases
from rules.releases.store import Shelf, encode
from tests.bot.cli.running import run
from tests.bot.cli.tiny_vllm import a_wheel, an_sdist


@pytest.fixture
def data(tmp_path):
    """A data folder of its own that holds no release yet."""
    folder = tmp_path / "data"
    write(encode([]), folder)
    return folder


def _versions(folder):
    return [str(version) for version in Shelf(lambda file: (folder / file).read_bytes()).versions()]


def test_every_release_from_0_6_3_on_is_listed_oldest_first(capsys, monkeypatch):
    lines = run(capsys, monkeypatch, "releases", "list").out.split()

    assert lines[0] == "0.6.3"
    assert {"0.8.5.post1", "0.9.0.1", "0.11.2", "0.33.0"} <= set(lines)
    assert lines == [str(version) for version in load_releases().versions()]


def test_the_list_for_programs_holds_the_same(capsys, monkeypatch):
    lines = run(capsys, monkeypatch, "releases", "list").out.split()

    assert json.loads(run(capsys, monkeypatch, "releases", "list", "--json").out)["releases"] == lines


def test_a_fact_is_one_line_with_its_place_in_the_source(capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, "releases", "show", "0.11.2", "--backend", "FLASH_ATTN")

    assert outcome.out.count("\n") == 1
    assert outcome.out.startswith(
        "backends  name=FLASH_ATTN  source=vllm/v1/attention/backends/flash_attn.py:"
    )
    assert "capabilities=8.0," in outcome.out


def test_a_flag_is_found_by_its_alias(capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, "releases", "show", "0.11.2", "--flag=-tp", "--json")

    assert json.loads(outcome.out)["flags"][0]["name"] == "--tensor-parallel-size"


def test_all_sections_are_shown_and_texts_only_when_asked_for(capsys, monkeypatch):
    facts = json.loads(run(capsys, monkeypatch, "releases", "show", "0.11.2", "--json").out)
    more = json.loads(run(capsys, monkeypatch, "releases", "show", "0.11.2", "--json", "--texts").out)

    assert facts["version"] == "0.11.2"
    assert {"backends", "towers", "text_orders", "reaches", "selection_lines", "flags", "variables"} <= set(
        facts
    )
    assert set(more) - set(facts) == {"messages"}


def test_a_short_number_means_the_release(capsys, monkeypatch):
    assert (
        json.loads(run(capsys, monkeypatch, "releases", "show", "0.11", "--json").out)["version"] == "0.11.0"
    )


@pytest.mark.parametrize(
    ("option", "name", "near"),
    [
        ("--backend", "FLASHATTN", "FLASH_ATTN"),
        ("--flag", "max-model-len", "--max-model-len"),
        ("--variable", "VLLM_ATTENTION_BACKENDS", "VLLM_ATTENTION_BACKEND"),
        ("--tower", "Qwen3VL", "Qwen3-VL"),
    ],
)
def test_a_name_that_a_release_does_not_have_names_the_nearest(option, name, near, capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, "releases", "show", "0.11.2", option, name)

    assert outcome.code == 64
    assert near in outcome.err


def test_the_nearest_releases_are_named_for_one_without_facts(capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, "releases", "show", "0.11.22")

    assert outcome.code == 64
    assert "0.11.2" in outcome.err


def test_a_diff_says_that_the_variable_stopped_reaching_the_encoder(capsys, monkeypatch):
    changes = json.loads(run(capsys, monkeypatch, "releases", "diff", "0.12.0", "0.13.0", "--json").out)[
        "changes"
    ]

    reach = [one for one in changes if one["name"] == "VLLM_ATTENTION_BACKEND" and one["field"] == "parts"]
    assert [(one["before"], one["after"]) for one in reach] == [("text, tower", "text")]


def test_of_a_changed_list_only_what_came_and_went_is_printed():
    before, after = "FLASH_ATTN, TREE_ATTN", "FLASH_ATTN, ULTRA_ATTN"
    change = Difference(
        "flags", What.CHANGED, "--backend", "choices", before, after, None, ("ULTRA_ATTN",), ("TREE_ATTN",)
    )

    assert change_line(change) == "flags  changed  --backend  choices: +ULTRA_ATTN -TREE_ATTN"


def test_a_diff_for_a_person_has_a_line_for_each_change(capsys, monkeypatch):
    machine = json.loads(run(capsys, monkeypatch, "releases", "diff", "0.12.0", "0.13.0", "--json").out)[
        "changes"
    ]
    lines = run(capsys, monkeypatch, "releases", "diff", "0.12.0", "0.13.0").out.splitlines()

    assert len(lines) == len(machine)
    assert any("VLLM_ATTENTION_BACKEND" in line and ": -tower" in line for line in lines)


@pytest.mark.parametrize("make", [a_wheel, an_sdist])
def test_a_release_is_added_from_an_archive(make, data, tmp_path):
    record = add_release("9.9.9", make(tmp_path), data, force=False)

    assert record.version == "9.9.9"
    assert _versions(data) == ["9.9.9"]
    assert [variable.name for variable in record.variables] == ["VLLM_ATTENTION_BACKEND"]


def test_adding_keeps_the_releases_that_are_there(data, tmp_path):
    add_release("9.9.9", a_wheel(tmp_path), data, force=False)

    add_release("9.9.8", a_wheel(tmp_path, version="9.9.8"), data, force=False)

    assert _versions(data) == ["9.9.8", "9.9.9"]


def test_a_release_that_is_there_is_read_anew_only_by_force(data, tmp_path):
    wheel = a_wheel(tmp_path)
    add_release("9.9.9", wheel, data, force=False)

    with pytest.raises(CommandError, match="--force") as caught:
        add_release("9.9.9", wheel, data, force=False)
    add_release("9.9.9", wheel, data, force=True)

    assert caught.value.code is ExitCode.WRONG_USAGE
    assert _versions(data) == ["9.9.9"]


def test_an_archive_of_another_release_is_refused_and_changes_nothing(data, tmp_path):
    before = {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}

    with pytest.raises(CommandError, match=r"holds vLLM 9\.9\.9, not 9\.9\.8") as caught:
        add_release("9.9.8", a_wheel(tmp_path), data, force=False)

    assert caught.value.code is ExitCode.UNUSABLE_INPUT
    assert {path: path.read_bytes() for path in data.rglob("*") if path.is_file()} == before


def test_a_folder_that_is_not_there_cannot_be_written_to(data, tmp_path):
    shutil.rmtree(data)

    with pytest.raises(CommandError) as caught:
        add_release("9.9.9", a_wheel(tmp_path), data, force=False)

    assert caught.value.code is ExitCode.NOT_ALLOWED


def test_a_tree_without_facts_is_refused_before_anything_is_written(tmp_path):
    data = tmp_path / "data"
    write(encode([]), data)
    before = sorted(path.read_bytes() for path in data.rglob("*") if path.is_file())
    (tmp_path / "tree" / "vllm").mkdir(parents=True)
    (tmp_path / "tree" / "vllm" / "__init__.py").touch()

    with pytest.raises(
        CommandError, match=r"holds no flag and no variable of vLLM.*nothing was written"
    ) as caught:
        add_release("9.9.9", tmp_path / "tree", data, force=False)

    assert caught.value.code == 65
    assert sorted(path.read_bytes() for path in data.rglob("*") if path.is_file()) == before


def test_a_number_is_taken_in_its_usual_spelling_and_words_are_refused():
    assert release_number("v0.34.0") == "0.34.0"
    with pytest.raises(CommandError):
        release_number("newest")


def test_adding_what_is_no_release_number_is_wrong_usage(capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, "releases", "add", "newest")

    assert outcome.code == 64
    assert outcome.err.count("\n") == 1


def test_adding_a_shipped_release_is_refused_before_anything_is_fetched(capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, "releases", "add", "0.11.2")

    assert outcome.code == 64
    assert "--force" in outcome.err
