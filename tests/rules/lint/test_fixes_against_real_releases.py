"""The lint proves fixes against the facts of real releases: what a release ignores or lacks is an error there."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from rules.engine.rule.loading import load_catalogue
from rules.engine.rule.model import ChangeTemplate, Fix, Rule, RuleStatus
from rules.lint.checks import fixes, safety
from rules.lint.interface import Context
from rules.lint.linting import errors, lint
from rules.releases.shipped import load_releases

NOBODY = "VLLM_NOBODY_READS_THIS"
NO_FLAG = "--nobody-takes-this"
RULE = """\
id: local-drafted
version: 1
status: test
class: vit-backend-unsupported
family: attention-backend
origin: vllm
impact: blocks-start
confidence: likely
releases: ">=0.12,<0.17"
signals:
  - name: refused
    regex: 'does not support AttentionBackendEnum\\.'
    literal: ' does not support AttentionBackendEnum.'
condition: refused
fixes:
  - id: change-it
    kind: {kind}
    releases: "{releases}"
    change: {change}
    verify: [{{kind: http}}, {{kind: inference, part: text}}]
"""


@pytest.fixture(scope="module")
def shipped():
    return load_catalogue()


def _said(tmp_path, **values: str) -> list[str]:
    """Return what the check of fixes says of a drafted rule over the releases that are shipped."""
    folder = tmp_path / "attention-backend" / "local-drafted"
    (folder / "text").mkdir(parents=True)
    (folder / "rule.yaml").write_text(RULE.format(**values), encoding="utf-8")
    for language in ("en", "zh"):
        text = "## Title\n\nRefused\n\n## Cause\n\nIt is.\n\n## What it is not\n\nNo harm.\n"
        (folder / "text" / f"{language}.md").write_text(text, encoding="utf-8")
    issues = lint(load_catalogue(tmp_path), load_releases(), checks={"fixes": fixes.check})
    return [issue.message for issue in errors(issues)]


IGNORED = "{env_set: {VLLM_ATTENTION_BACKEND: FLASH_ATTN}}"


@pytest.mark.parametrize(
    ("kind", "change", "releases", "said"),
    [
        # 0.15.0 stopped reading the variable without a word
        ("set-env", IGNORED, ">=0.15,<0.17", "VLLM_ATTENTION_BACKEND does not exist"),
        ("set-env", IGNORED, ">=0.13,<0.15", "VLLM_ATTENTION_BACKEND is deprecated"),
        (
            "unset-env",
            "{env_unset: [VLLM_ATTENTION_BACKEND]}",
            ">=0.12,<0.17",
            "VLLM_ATTENTION_BACKEND is not known",
        ),
        ("unset-env", "{env_unset: [VLLM_ATTENTION_BACKNED]}", ">=0.12,<0.13", "no release ever knew"),
        ("set-env", "{env_set: {VLLM_FLASH_ATTN_VERSION: '2'}}", ">=0.15,<0.17", "does not exist"),
        # the flag came when the variable went
        (
            "set-flag",
            "{flags_set: {--attention-backend: FLASH_ATTN}}",
            ">=0.12,<0.13",
            "--attention-backend does not exist",
        ),
        (
            "set-flag",
            "{flags_set: {--attention-backend: XFORMERS}}",
            ">=0.15,<0.17",
            "there is no backend XFORMERS",
        ),
        ("drop-flag", "{flags_unset: [--nobody-takes-this]}", ">=0.15,<0.17", "does not exist"),
    ],
)
def test_a_fix_that_some_release_ignores_or_lacks_is_an_error(tmp_path, kind, change, releases, said):
    messages = _said(tmp_path, kind=kind, change=change, releases=releases)

    assert any(said in message for message in messages), messages


def test_the_error_names_exactly_the_releases_that_ignore_it(tmp_path):
    messages = _said(tmp_path, kind="set-env", change=IGNORED, releases=">=0.12,<0.17")

    context = Context(load_catalogue(tmp_path), load_releases())
    ignoring = [one for one in context.shipped if one.release[:2] in {(0, 15), (0, 16)}]
    lacking = [message for message in messages if "does not exist" in message]
    assert lacking == [
        f"Fix `change-it`: VLLM_ATTENTION_BACKEND does not exist in {context.named(ignoring)}."
    ]


def test_where_every_release_reads_it_nothing_is_said(tmp_path):
    assert _said(tmp_path, kind="set-env", change=IGNORED, releases=">=0.12,<0.13") == []


def _spoilt(fix: Fix) -> Fix:
    """Return the fix with names in it that no release has."""
    change = fix.change or ChangeTemplate()
    names = {NOBODY: "1"}, {NO_FLAG: "1"}
    spoilt = ChangeTemplate(
        env_unset=(NOBODY,) if change.env_unset else (),
        env_set=names[0] if change.env_set else {},
        flags_set=names[1] if change.flags_set else {},
        flags_unset=(NO_FLAG,) if change.flags_unset else (),
    )
    return replace(fix, change=spoilt)


def _fixes(rules: tuple[Rule, ...]) -> Iterator[tuple[Rule, Fix]]:
    for rule in rules:
        if rule.status is not RuleStatus.RETIRED:
            yield from ((rule, fix) for fix in rule.fixes)


def test_every_change_of_the_shipped_rules_is_proven_in_every_release_that_it_is_given_for(shipped):
    context = Context(shipped, load_releases())
    unproven = []
    for rule, fix in _fixes(shipped.rules):
        if fix.change is None:
            continue
        spoilt = replace(rule, fixes=(_spoilt(fix),))
        everywhere = context.named(context.releases_of(rule, fix))
        if fix.change.env_set or fix.change.flags_set:
            found = any(
                one.message.endswith(f"does not exist in {everywhere}.")
                for one in fixes.check(spoilt, context)
            )
        else:
            found = any(fixes.check(spoilt, context))
        if not found:
            unproven.append(f"{rule.id}/{fix.id}")

    assert unproven == []


def test_every_release_that_a_shipped_fix_moves_to_is_proven_to_exist(shipped):
    context = Context(shipped, load_releases())
    moving = [(rule, fix) for rule, fix in _fixes(shipped.rules) if fix.target]

    unproven = [
        f"{rule.id}/{fix.id}"
        for rule, fix in moving
        if not any(fixes.check(replace(rule, fixes=(replace(fix, target="==0.11.99"),)), context))
    ]

    assert len(moving) > 20
    assert unproven == []


def test_the_shipped_fixes_have_no_fault(shipped):
    issues = lint(shipped, load_releases(), checks={"fixes": fixes.check, "safety": safety.check})

    assert [str(issue) for issue in errors(issues)] == []
