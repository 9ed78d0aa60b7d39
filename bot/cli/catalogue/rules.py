"""`vllm-diagnose rules`: the catalogue, its lint, its samples, drafts of new rules. Not for any check."""

import shlex
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.catalogue.drafting import draft_rule
from bot.cli.catalogue.loading import check_folder, known_rule, load_rules, relative
from bot.cli.exits import ExitCode
from bot.cli.terminal import counted, tell, write_json, write_line
from rules.engine.rule.catalogue import SHIPPED
from rules.engine.rule.faults import CatalogueError
from rules.engine.rule.loading import load_catalogue
from rules.engine.rule.model import Rule
from rules.engine.start import Options, start_engine
from rules.lint.interface import Issue, Severity
from rules.lint.linting import errors, lint
from rules.lint.trials import run_samples
from rules.releases.shipped import load_releases

app = typer.Typer(
    help="The catalogue of rules.\n\nFor example: vllm-diagnose rules list",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

_AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
_Private = Annotated[
    Path | None, typer.Option(metavar="FOLDER", help="Rules of your own beside the shipped ones.")
]


@app.command("list")
def list_rules(*, as_json: _AsJson = False, private: _Private = None) -> int:
    """Print every rule: its id, class, status and what it finds.

    For example: vllm-diagnose rules list --json
    """
    catalogue = load_rules(private)
    if as_json:
        write_json({"schema": 1, "rules": [_rule_to_json(rule) for rule in catalogue.rules]})
        return ExitCode.SOUND
    width = max((len(rule.id) for rule in catalogue.rules), default=0)
    for rule in catalogue.rules:
        write_line(f"{rule.id:{width}}  {rule.status:12}  {rule.failure_class}  {rule.texts['en'].title}")
    return ExitCode.SOUND


@app.command("lint")
def lint_rules(*, as_json: _AsJson = False, private: _Private = None) -> int:
    """Check that every rule is sound for every release it speaks of; faults come with file and line.

    For example: vllm-diagnose rules lint
    """
    check_folder(private)
    try:
        catalogue = load_catalogue(private=private)
    except CatalogueError as error:
        return _unreadable(error, as_json=as_json)
    issues = lint(catalogue, load_releases(), datetime.now(UTC).date())
    if as_json:
        write_json({"schema": 1, "issues": [_issue_to_json(issue) for issue in issues]})
    for issue in issues if not as_json else ():
        write_line(_issue_line(issue))
    faults = errors(issues)
    advice = counted(len(issues) - len(faults), "piece") + " of advice"
    tell(f"{counted(len(catalogue.rules), 'rule')}, {counted(len(faults), 'error')}, {advice}")
    return ExitCode.FAULTS if faults else ExitCode.SOUND


@app.command("test")
def try_rules(
    rule: Annotated[
        str | None, typer.Argument(metavar="RULE", show_default=False, help="One; else all.")
    ] = None,
    *,
    private: _Private = None,
) -> int:
    """Diagnose the samples beside the rules and say which come out otherwise than they should.

    For example: vllm-diagnose rules test vit-backend-rejected
    """
    catalogue = load_rules(private)
    if rule is not None:
        catalogue = replace(catalogue, rules=(known_rule(catalogue, rule),))
    trials = run_samples(catalogue, start_engine(Options(private=private)))
    failed = [trial for trial in trials if trial.faults]
    for trial in failed:
        for fault in trial.faults:
            write_line(f"{relative(trial.sample)}:1: error [samples] {trial.rule}: {fault}")
    numbers = f"{counted(len(catalogue.rules), 'rule')}, {counted(len(trials), 'sample')}"
    tell(f"{numbers}, {len(failed)} failed")
    return ExitCode.FAULTS if failed else ExitCode.SOUND


@app.command("new")
def new_rule(
    rule_id: Annotated[str, typer.Argument(metavar="ID", show_default=False, help="Id of the new rule.")],
    *,
    failure_class: Annotated[str, typer.Option("--class", metavar="CLASS", help="Class of the failure.")],
    line: Annotated[str | None, typer.Option(metavar="TEXT", help="The line that names the failure.")] = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where rules lie; otherwise with the shipped ones.")
    ] = None,
) -> int:
    """Write the files of a new rule, to be filled in: rule, texts, samples.

    For example: vllm-diagnose rules new cache-too-small --class kv-cache-too-small-for-max-len
    """
    for path in draft_rule(rule_id, failure_class, line, folder or SHIPPED):
        write_line(str(relative(path)))
    beside = f" --private {shlex.quote(str(folder))}" if folder is not None else ""
    tell(
        f"fill in what says TODO, then run `vllm-diagnose rules lint{beside}` and "
        f"`vllm-diagnose rules test {rule_id}{beside}`"
    )
    return ExitCode.SOUND


def _unreadable(error: CatalogueError, *, as_json: bool) -> int:
    issues = [
        Issue(fault.file.parent.name, "reading", Severity.ERROR, fault.file, fault.line, fault.message, "")
        for fault in error.faults
    ]
    if as_json:
        write_json({"schema": 1, "issues": [_issue_to_json(issue) for issue in issues]})
    for issue in issues if not as_json else ():
        write_line(_issue_line(issue).rstrip())
    tell(f"the rules cannot be read: {counted(len(issues), 'error')}")
    return ExitCode.FAULTS


def _issue_line(issue: Issue) -> str:
    head = f"{relative(issue.file)}:{issue.line}: {issue.severity} [{issue.check}] {issue.rule}"
    return f"{head}: {issue.message} {issue.suggestion}"


def _issue_to_json(issue: Issue) -> dict[str, object]:
    return {
        "rule": issue.rule,
        "check": issue.check,
        "severity": issue.severity.value,
        "file": str(relative(issue.file)),
        "line": issue.line,
        "message": issue.message,
        "suggestion": issue.suggestion,
    }


def _rule_to_json(rule: Rule) -> dict[str, object]:
    return {
        "id": rule.id,
        "version": rule.version,
        "status": rule.status.value,
        "class": rule.failure_class,
        "family": rule.family,
        "origin": rule.origin.value,
        "impact": rule.impact.value,
        "confidence": rule.confidence.value,
        "releases": rule.releases,
        "asks_only": rule.asks_only,
        "fixes": [fix.id for fix in rule.fixes],
        "titles": {language: text.title for language, text in rule.texts.items()},
        "references": list(rule.references),
    }
