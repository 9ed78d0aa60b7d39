"""Rules come from folders; every fault is told with its file and line."""

import json
from pathlib import Path

import pytest

from rules.engine.report import FixKind
from rules.engine.rule.catalogue import Catalogue, content_hash
from rules.engine.rule.faults import CatalogueError
from rules.engine.rule.loading import load_catalogue, load_samples
from rules.engine.rule.model import AllOf, FactTest, FactTestKind, Fired, NoneOf, Pick

RULE = """\
id: sample-rule
version: 1
status: test
class: some-class
family: other
origin: vllm
impact: blocks-start
confidence: likely
releases: ">=0.6.3"
signals:
  - name: first
    regex: 'something (?P<what>[a-z]+) failed here'
    literal: ' failed here'
condition:
  all:
    - first
    - none: [{fact: compute_capability, at_least: "8.0"}]
fixes:
  - id: pick
    kind: set-flag
    releases: ">=0.13"
    change: {flags_set: {--attention-backend: {pick: text-backend, prefer: [FLASH_ATTN]}}}
references: [https://example.org/issue]
"""
TEXT = "## Title\n\nA {what} title\n\n## Cause\n\nIt went\nwrong.\n\n## What it is not\n\nNothing else.\n"


def write_rule(folder: Path, rule: str = RULE, rule_id: str = "sample-rule") -> Path:
    home = folder / "other" / rule_id
    (home / "text").mkdir(parents=True)
    (home / "samples").mkdir()
    (home / "rule.yaml").write_text(rule, encoding="utf-8")
    for language in ("en", "zh"):
        (home / "text" / f"{language}.md").write_text(TEXT, encoding="utf-8")
    return home


def faults_of(folder: Path) -> dict[int, str]:
    with pytest.raises(CatalogueError) as caught:
        load_catalogue(folder)
    return {fault.line: fault.message for fault in caught.value.faults}


def test_a_folder_becomes_a_rule(tmp_path):
    write_rule(tmp_path)

    (rule,) = load_catalogue(tmp_path).rules

    assert rule.id == "sample-rule"
    assert rule.condition == AllOf(
        (Fired("first"), NoneOf((FactTest("compute_capability", FactTestKind.AT_LEAST, ("8.0",)),)))
    )
    assert rule.texts["en"].title == "A {what} title"
    assert rule.texts["en"].cause == "It went wrong."
    assert rule.fixes[0].kind is FixKind.SET_FLAG
    assert rule.fixes[0].change is not None
    assert rule.fixes[0].change.flags_set == {"--attention-backend": Pick("text-backend", ("FLASH_ATTN",))}


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("version: 1", "version: none", 2, "version"),
        ("confidence: likely", "confidence: sure", 8, "confidence"),
        ('releases: ">=0.6.3"', "releases: newest", 9, "PEP 440"),
        ("    literal: ' failed here'", "    literal: 'short'", 13, "literal"),
        ("    - first", "    - second", 14, "second"),
        ('at_least: "8.0"', "at_least: 8.0", 17, "quote"),
        ("{fact: compute_capability, ", "{fact: colour, ", 17, "colour"),
        ("kind: set-flag", "kind: set-flag\n    colour: red", 21, "colour"),
        ("id: sample-rule", "id: another-rule", 1, "sample-rule"),
        ("status: test", "status: test\nstatus: test", 4, "twice"),
    ],
)
def test_a_fault_is_told_with_its_line(tmp_path, old, new, line, said):
    write_rule(tmp_path, RULE.replace(old, new, 1))

    faults = faults_of(tmp_path)

    assert said in faults[line]


def test_all_faults_of_all_files_are_collected(tmp_path):
    write_rule(tmp_path, RULE.replace("version: 1", "version: none").replace("status: test", "status: fine"))
    broken = write_rule(tmp_path, "id: [", "broken-rule")
    (broken / "text" / "en.md").write_text("words before a heading\n", encoding="utf-8")

    with pytest.raises(CatalogueError) as caught:
        load_catalogue(tmp_path)

    files = [fault.file.name for fault in caught.value.faults]
    assert files.count("rule.yaml") >= 3
    assert "en.md" in files


def test_private_rules_come_from_a_second_folder_and_must_not_take_an_id(tmp_path):
    write_rule(tmp_path / "shipped")
    private = tmp_path / "private"
    write_rule(private, RULE.replace("sample-rule", "local-rule"), "local-rule")

    both = load_catalogue(tmp_path / "shipped", private)

    assert [rule.id for rule in both.rules] == ["local-rule", "sample-rule"]
    write_rule(private, RULE, "sample-rule")
    with pytest.raises(CatalogueError, match="is taken by"):
        load_catalogue(tmp_path / "shipped", private)


def test_a_catalogue_survives_the_way_through_json():
    shipped = load_catalogue()

    restored = Catalogue.from_plain(json.loads(json.dumps(shipped.to_plain())))

    assert restored == shipped


def test_the_hash_follows_the_content_and_nothing_else(tmp_path):
    home = write_rule(tmp_path)
    before = content_hash([tmp_path])

    (home / "samples" / "fires-a.log").write_text(
        "#! origin: mine\nsomething odd failed here\n", encoding="utf-8"
    )
    assert content_hash([tmp_path]) == before
    (home / "text" / "zh.md").write_text(TEXT + "\n", encoding="utf-8")
    assert content_hash([tmp_path]) != before


def test_a_sample_has_headers_and_a_paste(tmp_path):
    home = write_rule(tmp_path)
    (home / "samples" / "fires-a.log").write_text(
        "#! origin: mine\n#! captures: what=odd, other=x\nsomething odd failed here\n", encoding="utf-8"
    )

    (sample,) = load_samples(load_catalogue(tmp_path).rules[0])

    assert sample.text == "something odd failed here\n"
    assert sample.pairs("captures") == {"what": "odd", "other": "x"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("fires-a.log", "something odd failed here\n"),
        ("fires-a.log", "#! origin: mine\n#! colour: red\nsomething\n"),
        ("fires-a.log", "#! origin: mine\n"),
        ("odd.txt", "#! origin: mine\nsomething\n"),
    ],
)
def test_a_sample_that_cannot_be_used_is_a_fault(tmp_path, name, content):
    home = write_rule(tmp_path)
    (home / "samples" / name).write_text(content, encoding="utf-8")

    with pytest.raises(CatalogueError):
        load_samples(load_catalogue(tmp_path).rules[0])


def test_chinese_phrases_have_no_blanks_where_lines_were_folded():
    phrases = load_catalogue().phrases["zh"]

    assert not [key for key, text in phrases.items() if "， " in text or "。 " in text]
