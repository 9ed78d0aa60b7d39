"""Each check finds what it is for: a sound rule passes, the same rule with one fault does not."""

from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import pytest

from rules.engine.rule.catalogue import Catalogue, FailureClass
from rules.engine.rule.loading import load_catalogue
from rules.lint.exclusions import read_exclusions
from rules.lint.interface import Issue, Severity
from rules.lint.linting import CHECKS, errors, lint
from rules.releases.model import Message
from tests.rules.engine.remedy.handmade import HERE, HandmadeRelease, HandmadeReleases

SOUND = """\
id: local-sound
version: 1
status: test
class: some-class
family: local
origin: vllm
impact: blocks-start
confidence: likely
releases: ">=0.11.0,<0.13"
signals:
  - name: first
    regex: 'the encoder (?P<label>[A-Za-z]+) was refused here'
    literal: ' was refused here'
condition: first
fixes:
  - id: unset
    kind: unset-env
    releases: ">=0.11.0,<0.13"
    relaunchable: true
    part: tower
    change: {env_unset: [VLLM_ATTENTION_BACKEND]}
    verify:
      - {kind: log, text: 'was refused here', absent: true}
      - {kind: http}
      - {kind: inference, part: tower}
  - id: flag
    kind: set-flag
    releases: ">=0.11.1,<0.13"
    relaunchable: true
    part: tower
    change: {flags_set: {--mm-encoder-attn-backend: {pick: tower-backend, prefer: [FLASH_ATTN]}}}
    verify: [{kind: http}, {kind: inference, part: tower}]
ask: [{fact: gpu}]
references: [https://example.org/issue/1]
"""
ENGLISH = "## Title\n\n{label} is refused\n\n## Cause\n\nIt is refused.\n\n## What it is not\n\nNo harm.\n"
CHINESE = "## Title\n\n{label} 被拒绝\n\n## Cause\n\n它被拒绝。\n\n## What it is not\n\n并无损坏。\n"
FIRES = "#! origin: mine\n#! release: 0.11.2\nValueError: the encoder Seeing was refused here\n"
SILENT = "#! origin: mine\nthe encoder is fine\n"


class PrintingRelease(HandmadeRelease):
    """A release that prints the sample's message."""

    def messages(self):
        yield Message("the encoder {} was refused here", "ValueError", HERE)


class PrintingReleases(HandmadeReleases):
    """The hand-written releases, with messages."""

    def get(self, version) -> HandmadeRelease:
        release = super().get(version)
        return PrintingRelease(**{name: getattr(release, name) for name in release.__dataclass_fields__})


class Draft:
    """A rule in a folder that a test may spoil."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / "local" / "local-sound"
        (self.folder / "text").mkdir(parents=True)
        (self.folder / "samples").mkdir()
        self.write("rule.yaml", SOUND)
        self.write("text/en.md", ENGLISH)
        self.write("text/zh.md", CHINESE)
        self.write("samples/fires-first.log", FIRES)
        self.write("samples/silent-fine.log", SILENT)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def change(self, name: str, old: str, new: str) -> None:
        text = (self.folder / name).read_text(encoding="utf-8")
        assert old in text
        self.write(name, text.replace(old, new, 1))

    def issues(self) -> Sequence[Issue]:
        loaded = load_catalogue(self.root)
        catalogue = Catalogue(
            loaded.rules,
            load_catalogue().phrases,
            (FailureClass("some-class", "local", "A class."),),
            loaded.hash,
        )
        return lint(catalogue, PrintingReleases())


@pytest.fixture
def draft(tmp_path: Path) -> Draft:
    return Draft(tmp_path)


def spoil(name: str, old: str, new: str) -> Callable[[Draft], None]:
    return lambda draft: draft.change(name, old, new)


def remove(name: str) -> Callable[[Draft], None]:
    return lambda draft: (draft.folder / name).unlink()


def test_a_sound_rule_passes_every_check(draft):
    assert draft.issues() == ()


Y = "rule.yaml"
# fmt: off
# ruff: noqa: E501 - one fault a line reads as a table
FAULTS = [
    ("releases", spoil(Y, 'releases: ">=0.11.0,<0.13"\nsig', 'releases: ">=0.11.0,<0.14.7"\nsig'), 9, "never published"),
    ("releases", spoil(Y, 'releases: ">=0.11.0,<0.13"\n    rel', 'releases: ">=0.11.2,<0.13"\n    rel'), 15, "No fix covers ==0.11.0"),
    ("releases", spoil(Y, 'releases: ">=0.11.1,<0.13"', 'releases: ">=0.13.0"'), 28, "none of the rule"),
    ("releases", spoil(Y, "    literal:", '    releases: "==0.12.0"\n    literal:'), 10, "No signal covers"),
    ("matching", spoil(Y, "here'", "here(?=x)'"), 12, "RE2"),
    ("matching", spoil(Y, "was refused here'", "was refused( here)?'"), 12, "group without a name"),
    ("matching", spoil(Y, "literal: ' was refused here'", "literal: ' was accepted here'"), 12, "can match without"),
    ("matching", lambda draft: (
        draft.change(Y, "the encoder (?P<label>[A-Za-z]+) was refused here", "Application startup (?P<label>[a-z]+)"),
        draft.change(Y, " was refused here", "Application startup "),
    ), 14, "healthy log"),
    ("fixes", spoil(Y, 'releases: ">=0.11.1,<0.13"', 'releases: ">=0.11.0,<0.13"'), 31, "does not exist in ==0.11.0"),
    ("fixes", spoil(Y, "[VLLM_ATTENTION_BACKEND]", "[VLLM_NO_SUCH_THING]"), 21, "does not reach the tower"),
    ("fixes", spoil(Y, "prefer: [FLASH_ATTN]", "prefer: [FLASH_DANCE]"), 31, "may pick exists"),
    ("fixes", spoil(Y, "kind: set-flag", "kind: drop-flag"), 27, "its change does none"),
    ("fixes", spoil(Y, "id: flag", "id: unset"), 26, "Two fixes"),
    ("fixes", spoil(Y, "  - id: flag\n    kind: set-flag", "  - id: flag\n    kind: upgrade"), 26, "no release to move to"),
    ("fixes", spoil(Y, "{--mm-encoder-attn-backend: {pick: tower-backend, prefer: [FLASH_ATTN]}}", "{--max-num-seqs: '64'}"), 31, "the wrong way"),
    ("safety", spoil(Y, "[VLLM_ATTENTION_BACKEND]", "[LD_PRELOAD]"), 21, "may not be changed"),
    ("safety", spoil(Y, "[VLLM_ATTENTION_BACKEND]", "[VLLM_API_KEY]"), 21, "may not be changed"),
    ("safety", spoil(Y, "--mm-encoder-attn-backend: {pick: tower-backend, prefer: [FLASH_ATTN]}", "--trust-remote-code: ''"), 31, "may not be changed"),
    ("safety", spoil(Y, "    relaunchable: true\n    part", "    relaunchable: true\n    risk: host\n    part"), 16, "other workloads"),
    ("safety", spoil(Y, "kind: unset-env\n", "kind: hardware\n"), 16, "relaunch cannot"),
    ("texts", spoil("text/zh.md", "{label} 被", "被"), 1, "placeholders differ"),
    ("texts", spoil("text/en.md", "{label} is", "{colour} is"), 1, "No signal captures `colour`"),
    ("texts", spoil("text/zh.md", "它被拒绝。", "It is refused."), 1, "not Chinese"),
    ("texts", spoil("text/en.md", "It is refused.", "Run `unset X`."), 1, "hold a command"),
    ("texts", remove("text/zh.md"), 1, "no text in `zh`"),
    ("phrases", spoil(Y, "    kind: unset-env\n", "    kind: unset-env\n    phrase: fix.nonsense\n"), 18, "is missing in en, zh"),
    ("phrases", spoil(Y, "fact: gpu", "fact: weather"), 33, "missing"),
    ("phrases", spoil(Y, "    change: {flags_set: {--mm-encoder-attn-backend: {pick: tower-backend, prefer: [FLASH_ATTN]}}}\n", ""), 26, "needs setting, value"),
    ("samples", remove("samples/fires-first.log"), 3, "firing sample"),
    ("samples", remove("samples/silent-fine.log"), 3, "silent sample"),
    ("samples", spoil("samples/fires-first.log", "refused here", "refused there"), 11, "No sample fires"),
    ("samples", spoil("samples/silent-fine.log", "is fine", "Seeing was refused here"), 1, "silent sample fires"),
    ("samples", spoil("samples/fires-first.log", "#! release", "#! fix: nothing\n#! release"), 1, "fixes that do not exist"),
    ("samples", spoil("samples/fires-first.log", "#! origin: mine\n", ""), 1, "origin"),
    ("samples", spoil(Y, "status: test", "status: stable"), 3, "stable needs 3 firing"),
    ("verification", spoil(Y, "      - {kind: http}\n      - {kind: inference, part: tower}\n", ""), 22, "not proven by a request"),
    ("verification", spoil(Y, "{kind: inference, part: tower}]", "{kind: inference, part: text}]"), 32, "no image proves it"),
    ("verification", spoil(Y, "text: 'was refused here'", "text: 'was never said'"), 22, "proves nothing"),
    ("references", spoil(Y, "https://example.org/issue/1", "http://example.org/issue/1"), 34, "no https"),
    ("references", spoil(Y, "[https://example.org/issue/1]", "[]"), 34, "names no source"),
    ("references", spoil(Y, "ask:", "absorbs: [no-such-rule]\nask:"), 33, "no other rule"),
    ("classes", spoil(Y, "class: some-class", "class: other-class"), 4, "no class `other-class`"),
    ("classes", spoil(Y, "family: local", "family: other"), 5, "belongs to the family"),
    ("identity", lambda draft: draft.change(Y, "local-sound", "sound") or draft.folder.rename(draft.folder.parent / "sound"), 1, "Begin it with"),
    ("templates", lambda draft: (
        draft.change(Y, "the encoder (?P<label>[A-Za-z]+) was refused here", "nobody (?P<label>[A-Za-z]+) prints this"),
        draft.change(Y, " was refused here", " prints this"),
        draft.change("samples/fires-first.log", "the encoder Seeing was refused here", "nobody Ever prints this"),
    ), 11, "No message of"),
    ("drafts", spoil("text/en.md", "It is refused.", "TODO"), 7, "Cause says TODO"),
    ("drafts", spoil("text/zh.md", "{label} 被拒绝", "{label} TODO 待译"), 3, "Title says TODO"),
    ("drafts", spoil("samples/fires-first.log", "origin: mine", "origin: TODO"), 1, "origin says TODO"),
    ("drafts", spoil(Y, "https://example.org/issue/1", "https://example.org/TODO"), 34, "references says TODO"),
]
# fmt: on


@pytest.mark.parametrize(
    ("check", "fault", "line", "said"), FAULTS, ids=[f"{one[0]}-{one[3]}" for one in FAULTS]
)
def test_a_check_finds_its_fault_and_tells_the_place(draft, check, fault, line, said):
    fault(draft)

    found = [issue for issue in draft.issues() if issue.check == check]

    told = [issue for issue in found if said in f"{issue.message} {issue.suggestion}"]
    assert told, [str(issue) for issue in found]
    assert line in {issue.line for issue in told}
    assert all(issue.suggestion for issue in told)
    assert told[0].file.exists() or told[0].file.suffix == ".md"


def test_what_stands_round_a_message_needs_no_template(draft):
    draft.change(Y, "the encoder (?P<label>[A-Za-z]+) was refused here", "File .(?P<label>[a-z/]+)seeing.py")
    draft.change(Y, "literal: ' was refused here'", "literal: 'seeing.py'\n    scope: any")
    draft.change("samples/fires-first.log", "the encoder Seeing was refused here", "File 'vllm/seeing.py")

    assert not [issue for issue in draft.issues() if issue.check == "templates"]


def test_a_paste_in_a_sample_may_say_todo(draft):
    draft.write("samples/silent-fine.log", SILENT + "# TODO: warm up\n#! TODO\n")

    assert not [issue for issue in draft.issues() if issue.check == "drafts"]


def test_another_programs_same_words_are_left_to_the_run_of_the_samples(draft):
    draft.change(Y, "origin: vllm", "origin: flash-attn")
    draft.change("samples/silent-fine.log", "the encoder is fine", "the encoder Seeing was refused here")

    assert not [issue for issue in draft.issues() if issue.check == "samples"]


def test_every_check_is_shown_to_fail():
    assert {one[0] for one in FAULTS} == set(CHECKS)


def test_advice_does_not_make_a_catalogue_unsound(draft):
    draft.change(Y, "(?P<label>[A-Za-z]+) was refused here", "(?P<label>[A-Za-z]+) refused")
    draft.change(Y, "' was refused here'", "' refused'")

    issues = [issue for issue in draft.issues() if issue.check == "matching"]

    assert [issue.severity for issue in issues] == [Severity.ADVICE]
    assert not errors(tuple(issues))


def test_an_exclusion_needs_a_reason_and_ends_on_its_day(tmp_path):
    file = tmp_path / "exclusions.yaml"
    file.write_text(
        "- {rule: a, check: fixes, reason: known, expires: 2026-06-01}\n"
        "- {rule: b, check: fixes, expires: 2026-06-01}\n"
        "- {rule: c, check: colour, reason: known, expires: 2026-06-01}\n",
        encoding="utf-8",
    )

    before, faults = read_exclusions({"fixes"}, date(2026, 5, 1), file)
    after, expired = read_exclusions({"fixes"}, date(2026, 7, 1), file)

    assert [one.rule for one in before] == ["a"]
    assert [issue.line for issue in faults] == [2, 3]
    assert after == ()
    assert "expired" in expired[0].message
