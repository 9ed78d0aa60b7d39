"""`rules` and `explain`: the catalogue from a terminal, an operator's own rules under the same checks."""

import json
import re
import shlex
import shutil

import pytest

from rules.engine.rule.catalogue import SHIPPED
from rules.engine.rule.loading import load_catalogue
from tests.bot.cli.running import ROOT, run

SEED_RULE = "vit-backend-rejected"


@pytest.fixture
def private(tmp_path):
    """A folder with one rule of an operator's own: a copy of a shipped one under another id."""
    folder = tmp_path / "own" / "attention-backend" / "acme-refused"
    shutil.copytree(SHIPPED / "attention-backend" / SEED_RULE, folder)
    text = (folder / "rule.yaml").read_text(encoding="utf-8")
    (folder / "rule.yaml").write_text(text.replace(f"id: {SEED_RULE}", "id: acme-refused"), encoding="utf-8")
    return tmp_path / "own"


def test_every_rule_is_listed_with_class_and_status(capsys, monkeypatch):
    lines = run(capsys, monkeypatch, "rules", "list").out.splitlines()

    assert [line.split()[0] for line in lines] == [rule.id for rule in load_catalogue().rules]
    assert any(line.split()[:3:2] == [SEED_RULE, "vit-backend-unsupported"] for line in lines)


def test_the_list_for_programs_names_what_a_rule_is(capsys, monkeypatch):
    listed = json.loads(run(capsys, monkeypatch, "rules", "list", "--json").out)

    seed = next(rule for rule in listed["rules"] if rule["id"] == SEED_RULE)
    assert listed["schema"] == 1
    assert seed["class"] == "vit-backend-unsupported"
    assert seed["family"] == "attention-backend"
    assert seed["releases"] == ">=0.6.3,<0.13"
    assert set(seed["titles"]) == {"en", "zh"}


def test_an_operator_s_own_rules_are_listed_beside_the_shipped_ones(private, capsys, monkeypatch):
    out = run(capsys, monkeypatch, "rules", "list", "--private", str(private)).out

    assert "acme-refused " in out
    assert f"{SEED_RULE} " in out


def test_a_fault_is_told_with_file_and_line_and_ends_with_1(private, capsys, monkeypatch):
    path = private / "attention-backend" / "acme-refused" / "rule.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("status: test", "status: perfect"), encoding="utf-8")

    outcome = run(capsys, monkeypatch, "rules", "lint", "--private", str(private))

    line = text.splitlines().index("status: test") + 1
    assert outcome.code == 1
    assert f"{path}:{line}: error" in outcome.out
    assert "Traceback" not in outcome.err


def test_other_commands_say_where_the_first_fault_is(private, capsys, monkeypatch):
    path = private / "attention-backend" / "acme-refused" / "rule.yaml"
    path.write_text("id: [", encoding="utf-8")

    outcome = run(capsys, monkeypatch, "rules", "list", "--private", str(private))

    assert outcome.code == 65
    assert "rule.yaml:" in outcome.err
    assert "rules lint" in outcome.err


def test_a_folder_of_own_rules_that_does_not_exist_is_unusable(tmp_path, capsys, monkeypatch):
    assert run(capsys, monkeypatch, "rules", "lint", "--private", str(tmp_path / "gone")).code == 65


def test_an_unsound_rule_is_found_by_the_lint(private, capsys, monkeypatch):
    path = private / "attention-backend" / "acme-refused" / "rule.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace("env_unset: [VLLM_ATTENTION_BACKEND]", "env_unset: [LD_PRELOAD]"), encoding="utf-8"
    )

    outcome = run(capsys, monkeypatch, "rules", "lint", "--json", "--private", str(private))

    issues = [issue for issue in json.loads(outcome.out)["issues"] if issue["rule"] == "acme-refused"]
    assert outcome.code == 1
    assert any(
        issue["check"] == "safety" and issue["file"] == str(path) and issue["line"] > 1 for issue in issues
    )


def test_the_samples_of_a_rule_are_tried(capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, "rules", "test", SEED_RULE)

    assert outcome.code == 0
    assert re.search(r"1 rule, [1-9]\d* samples, 0 failed", outcome.err)


def test_a_sample_that_comes_out_otherwise_is_told_with_its_file(private, capsys, monkeypatch):
    sample = private / "attention-backend" / "acme-refused" / "samples" / "fires-wrongly.log"
    sample.write_text("#! origin: made up\n#! status: diagnosed\nLunch is at noon.\n", encoding="utf-8")

    outcome = run(capsys, monkeypatch, "rules", "test", "acme-refused", "--private", str(private))

    assert outcome.code == 1
    assert f"{sample}:1: error" in outcome.out


def test_a_new_rule_loads_and_can_be_filled_in(tmp_path, capsys, monkeypatch):
    line = "RuntimeError: the flux capacitor is not charged"
    arguments = ["acme-flux", "--class", "undetermined", "--line", line, "--folder", str(tmp_path)]

    outcome = run(capsys, monkeypatch, "rules", "new", *arguments)

    assert outcome.code == 0
    assert all((tmp_path / written).is_file() for written in outcome.out.split())
    rule = load_catalogue(private=tmp_path).rule("acme-flux")
    assert rule is not None
    assert rule.failure_class == "undetermined"
    assert "flux capacitor" in rule.signals[0].literal


@pytest.mark.parametrize(
    ("rule_id", "failure_class", "told"),
    [
        ("Not An Id", "undetermined", "no id"),
        (SEED_RULE, "vit-backend-unsupported", "there already"),
        ("acme-flux", "vit-backend-unsuported", "vit-backend-unsupported"),
    ],
)
def test_a_new_rule_with_a_bad_name_or_class_is_refused(
    rule_id, failure_class, told, tmp_path, capsys, monkeypatch
):
    arguments = [rule_id, "--class", failure_class, "--folder", str(tmp_path)]

    outcome = run(capsys, monkeypatch, "rules", "new", *arguments)

    assert outcome.code == 64
    assert told in outcome.err
    assert not list(tmp_path.iterdir())


def test_a_page_tells_what_why_what_to_do_how_to_verify_and_where_it_comes_from(capsys, monkeypatch):
    page = run(capsys, monkeypatch, "explain", SEED_RULE).out

    heads = ["## Why it happens", "## What it is not", "## What to do", "How to verify", "## False positives"]
    places = [page.index(head) for head in [*heads, "## References"]]
    assert places == sorted(places)
    assert "https://github.com/vllm-project/vllm/issues/29595" in page


def test_a_page_gives_the_fix_per_release_range(capsys, monkeypatch):
    page = run(capsys, monkeypatch, "explain", SEED_RULE).out

    ranges = re.findall(r"^### \d+\. For vLLM (\S+)$", page, flags=re.MULTILINE)
    assert len(set(ranges)) > 1


def test_a_page_is_there_in_chinese_with_the_same_commands(capsys, monkeypatch):
    english = run(capsys, monkeypatch, "explain", SEED_RULE).out
    chinese = run(capsys, monkeypatch, "explain", SEED_RULE, "--lang", "zh").out

    assert re.search(r"[\u4e00-\u9fff]", chinese)
    assert _commands(chinese) == _commands(english)


@pytest.mark.parametrize("rule_id", [rule.id for rule in load_catalogue().rules])
def test_every_rule_has_a_page_whose_commands_can_be_copied(rule_id, capsys, monkeypatch):
    page = run(capsys, monkeypatch, "explain", rule_id).out

    for command in _commands(page):
        assert command.isascii()
        assert shlex.split(command)


def test_a_rule_that_does_not_exist_names_the_nearest(capsys, monkeypatch):
    outcome = run(capsys, monkeypatch, "explain", "vit-backend-reject")

    assert outcome.code == 64
    assert SEED_RULE in outcome.err


def _commands(page):
    return re.findall(r"^```sh\n(.*?)\n```$", page, flags=re.MULTILINE | re.DOTALL)


def test_explain_says_each_fix_once_and_proves_a_dropped_flag_by_what_vllm_then_chooses(capsys, monkeypatch):
    page = run(capsys, monkeypatch, "explain", SEED_RULE).out

    sections = page.partition("## What to do")[2].partition("\n## ")[0].split("\n### ")[1:]
    dropped = [section for section in sections if "Start the server without --mm-encoder" in section]
    said = [section.partition("\n")[2].partition("How to verify")[0] for section in sections]
    assert dropped
    assert not any("Using AttentionBackendEnum.FLASHINFER backend." in section for section in dropped)
    assert len(set(said)) == len(said)
    assert "How to verify on vLLM >=0.9.1,<0.10: " in page


def test_the_example_of_the_how_to_works_and_what_is_said_of_a_folder_names_it(tmp_path, capsys, monkeypatch):
    page = (ROOT / "docs" / "how-to" / "write-a-rule.md").read_text(encoding="utf-8")
    [line] = [one for one in page.splitlines() if one.startswith("vllm-diagnose rules new ")]
    folder = tmp_path / "my rules"
    words = [str(folder) if word == "./my-rules" else word for word in shlex.split(line)[1:]]
    drafted = run(capsys, monkeypatch, *words)
    tested = run(capsys, monkeypatch, "rules", "test", words[2], "--private", str(folder))

    assert drafted.code == 0
    assert f"`vllm-diagnose rules lint --private '{folder}'`" in drafted.err
    assert f"`vllm-diagnose rules test {words[2]} --private '{folder}'`" in drafted.err
    assert tested.code == 0
    assert "1 rule, 2 samples, 0 failed" in tested.err
    assert f"vllm-diagnose rules test {words[2]} --private ./my-rules" in page.splitlines()
