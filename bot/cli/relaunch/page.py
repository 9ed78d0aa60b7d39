"""What is printed about runs and plans, for a person. Not the JSON, nor what is done to either."""

from __future__ import annotations

import sys
from dataclasses import fields
from typing import TYPE_CHECKING

from bot.cli.answer.page import Page, printable
from bot.cli.terminal import write_line
from bot.locale import say
from bot.relaunch.planning.difference import written

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.relaunch.outcomes import Shown
    from bot.relaunch.planning.plan import Plan
    from bot.store.relaunches.interface import Moment, Relaunch
    from bot.telemetry.measures import Measures

_LANGUAGE = "en"
_SIGNS = {"passed": "passed", "failed": "FAILED"}
_LONGEST = 300


def print_runs(runs: Iterable[Relaunch]) -> None:
    """Print a line for each run."""
    for run in runs:
        word = say(f"relaunch.word.{run.state}", _LANGUAGE)
        line = f"{run.id}  {run.asked_at:%Y-%m-%d %H:%M}  {run.server} on {run.host}  {word}  {run.requester}"
        write_line(printable(line))


def print_run(shown: Shown, times: Measures) -> None:
    """Print all there is to see of a run."""
    run, page = shown.relaunch, Page(sys.stdout)
    page.heading(say(f"relaunch.title.{run.state}", _LANGUAGE, server=run.server))
    page.prose(standing(shown))
    page.prose(f"{run.id}, asked for by {run.requester} at {run.asked_at:%Y-%m-%d %H:%M:%S} UTC.")
    if shown.plan is not None:
        print_plan(shown.plan)
    _print_list(page, say("relaunch.evidence", _LANGUAGE), _evidence(shown.timeline))
    _print_list(page, say("relaunch.timeline", _LANGUAGE), map(moment_line, shown.timeline))
    _print_list(page, "Times", _times(times))


def print_plan(plan: Plan) -> None:
    """Print what a plan would change, and what would prove it."""
    page = Page(sys.stdout)
    page.blank()
    page.heading(say("relaunch.diff", _LANGUAGE))
    for line in written(plan.diff) or ("(nothing: it is started again as it is)",):
        page.command(line)
    source = plan.source
    page.prose(
        f"{plan.server} on {plan.host}, vLLM {plan.vllm_version or 'unknown'}, about {plan.expected_minutes} min, "
        f"risk {source.risk}, rule {source.rule} ({source.fix}), plan {plan.hash[:12]}."
    )
    if plan.was_serving:
        page.prose("It serves now: whoever uses it is cut off while it starts again.")
    page.prose(say("relaunch.proofs", _LANGUAGE))
    for check in plan.checks:
        page.bullet(say(f"relaunch.check.{check}", _LANGUAGE))


def standing(shown: Shown) -> str:
    """Return where a run stands, in sentences."""
    run, plan = shown.relaunch, shown.plan
    sentence = say(
        f"relaunch.state.{run.state}",
        _LANGUAGE,
        minutes=plan.expected_minutes if plan is not None else "?",
        approvers=", ".join(shown.approvers) or "nobody",
        until=f"{run.expires_at:%H:%M} UTC" if run.expires_at is not None else "?",
    )
    return f"{sentence} {shown.remark}".strip()


def moment_line(moment: Moment) -> str:
    """Return one line of a timeline."""
    word = say(f"relaunch.word.{moment.state}", _LANGUAGE)
    return printable(f"{moment.at:%H:%M:%S} {word} {moment.detail}".rstrip())


def _evidence(timeline: Iterable[Moment]) -> tuple[str, ...]:
    """Return what the last verdict looked at and what it saw."""
    told: list[str] = []
    for moment in timeline:
        findings = moment.facts.get("findings")
        if isinstance(findings, list):
            told = [
                f"{_SIGNS.get(outcome, outcome)}: {say(f'relaunch.check.{check}', _LANGUAGE)}: {seen[:_LONGEST]}"
                for check, outcome, seen in findings
            ]
    return tuple(told)


def _times(times: Measures) -> tuple[str, ...]:
    told = ((field.name.replace("_", " "), getattr(times, field.name)) for field in fields(times))
    return tuple(f"{name}: {seconds:.1f} s" for name, seconds in told if seconds is not None)


def _print_list(page: Page, heading: str, lines: Iterable[str]) -> None:
    found = tuple(lines)
    if found:
        page.blank()
        page.heading(heading)
        for line in found:
            page.bullet(line)
